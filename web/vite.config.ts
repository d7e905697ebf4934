import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [react(), tailwindcss()],
  worker: { format: "es" },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2023",
    // The page's policy allows no data: scripts, styles or fonts; every asset stays a file of its own.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
