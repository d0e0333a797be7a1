import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Where `pnpm dev` finds the API; the shipped page is served by the API itself. */
const server = process.env.PERDURE_URL ?? "http://127.0.0.1:8080";

const place = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  plugins: [react()],
  root: place("."),
  // Diagrams ask for another version than formulas: one is enough.
  resolve: { dedupe: ["katex"] },
  build: {
    target: "es2023",
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: ["index.html", "diagram.html"].map(place) },
  },
  server: { proxy: { "/api": { target: server, ws: true } } },
});
