import "./styles.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { replaceMissingStorage } from "./missing-storage.ts";
import { queryClient } from "./query-client.ts";
import { startTheme } from "./theme.ts";
import { trustOwnScripts } from "./trusted-addresses.ts";

trustOwnScripts();
replaceMissingStorage();
startTheme();

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  );
}
