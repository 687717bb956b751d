// Builds the pages into dist/web: static files, no inline script, no address of another host.

import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  // In a file the browser fetches anyway; nothing is put into the page as a data address or an inline script.
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      // One file, which is run before any other that makes a schema: see boot/no-eval.ts.
      output: { codeSplitting: { groups: [{ name: "zod", test: /node_modules[\\/]zod[\\/]|boot[\\/]no-eval/ }] } },
      // `"use client"` at the head of a package's file means something to servers alone.
      onLog(level, log, handle) {
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") handle(level, log);
      },
    },
  },
  oxc: { jsx: { runtime: "automatic" } },
  plugins: [tailwindcss()],
  logLevel: "warn",
});
