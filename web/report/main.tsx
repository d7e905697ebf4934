import "../styles.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { replaceMissingStorage } from "../missing-storage.ts";
import { RenderFailureGuard } from "../parts/render-failure-guard.tsx";
import { queryClient } from "../query-client.ts";
import { startTheme } from "../theme.ts";
import { ReportApp } from "./report-app.tsx";

replaceMissingStorage();
startTheme();

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RenderFailureGuard>
          <ReportApp />
        </RenderFailureGuard>
      </QueryClientProvider>
    </StrictMode>,
  );
}
