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
      output: {
        codeSplitting: {
          groups: [
            // One file, which is run before any other that makes a schema: see boot/no-eval.ts.
            { name: "zod", test: /node_modules[\\/]zod[\\/]|boot[\\/]no-eval/ },
            // What every page needs is fetched at once: a small file costs as much in headers.
            {
              name: "base",
              test: /node_modules[\\/](?:react|react-dom|scheduler|clsx)[\\/]|lucide-react[\\/]dist[\\/]esm[\\/](?:[A-Z]|create|icons[\\/]x\.)|web[\\/]src[\\/](?:app-context|parts[\\/]button)|core[\\/]path[\\/]show/,
            },
          ],
        },
      },
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
