import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  resolve: { conditions: ["source", "module", "browser", "development"] },
  cacheDir: "../../../node_modules/.vite/gallery",
  build: {
    outDir: "../../../node_modules/.cache/gallery",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    rollupOptions: { input: "timeline.html" },
    modulePreload: { polyfill: false },
    target: "es2023",
  },
  worker: { format: "es" },
  server: { fs: { allow: ["../../.."] } },
});
