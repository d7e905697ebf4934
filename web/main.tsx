import "./styles.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "./api/queries.ts";
import { App } from "./app.tsx";
import { replaceMissingStorage } from "./parts/browser/storage.ts";
import { startTheme } from "./shell/theme.tsx";

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

interface TrustedTypePolicies {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): unknown;
}

/** Defines the only Trusted Types policy of the page: scripts and workers load from this origin or not at all. */
function trustOwnScripts(): void {
  const policies = (globalThis as { trustedTypes?: TrustedTypePolicies }).trustedTypes;
  policies?.createPolicy("default", {
    createScriptURL(url) {
      if (new URL(url, location.href).origin !== location.origin)
        throw new TypeError("Scripts from other origins are refused.");
      return url;
    },
  });
}
