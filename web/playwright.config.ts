import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: "e2e",
  // A machine that is busy with other work is slow, not wrong.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  // Each worker has a server of its own: nothing is shared but the machine.
  workers: 2,
  fullyParallel: true,
  reporter: [["list"]],
  // The same flows, by a person with a pointer and by one without; and those of the latter that every run of tests has.
  projects: [
    { name: "pointer" },
    { name: "keyboard", testIgnore: /touch|accessibility/ },
    { name: "keyboard-sample", testMatch: /decisions/, grep: /decided (together|at once)/ },
  ],
  use: {
    viewport: { width: 1280, height: 800 },
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        // Another machine, as the browser sees it.
        "--host-resolver-rules=MAP perdure.test 127.0.0.1",
      ],
    },
  },
});
