import react from "@vitejs/plugin-react";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";

const chromium = playwright({
  launchOptions: {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
    ],
  },
});

// A machine that is busy with other tests is slow, not wrong.
const PATIENCE = 60_000;

export default defineConfig({
  test: {
    // A list that measures rows it has just made is told of them in the next frame; the browser remarks on that.
    expect: { poll: { timeout: 15_000 } },
    onConsoleLog: (log) => !log.includes("ResizeObserver loop"),
    projects: [
      {
        test: {
          name: "words",
          environment: "node",
          include: ["src/**/*.test.ts"],
          testTimeout: PATIENCE,
        },
      },
      {
        plugins: [react()],
        // Found only once a frame is open, and reloading that would begin the tests again.
        optimizeDeps: { include: ["mermaid", "katex"] },
        test: {
          name: "stories",
          testTimeout: PATIENCE,
          include: ["src/**/*.test.tsx"],
          browser: {
            enabled: true,
            headless: true,
            provider: chromium,
            instances: [{ browser: "chromium", viewport: { width: 900, height: 700 } }],
            screenshotFailures: false,
          },
        },
      },
    ],
  },
});
