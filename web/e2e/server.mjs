// A real server of one's own: its database in a temporary folder, its model the simulator, its page the built one.
import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const PERDURE = process.env.PERDURE ?? fileURLToPath(new URL("../../.venv/bin/perdure", import.meta.url));
const READY_MS = 110_000;

export function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** A folder that Postgres can reach even where it runs as another user. */
function openFolder(name) {
  const folder = mkdtempSync(join(tmpdir(), `perdure-${name}-`));
  chmodSync(folder, 0o755);
  return folder;
}

export class PerdureServer {
  #process = null;
  #folder;

  constructor(port, name) {
    this.#folder = openFolder(name);
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.link = null;
    this.log = "";
  }

  static async started(name = "e2e") {
    const server = new PerdureServer(await freePort(), name);
    await server.start();
    return server;
  }

  /** Start, or start again with the same data, at the same address. */
  start() {
    const environment = {
      ...process.env,
      PERDURE_DATA_DIR: this.#folder,
      PERDURE_LOG_LEVEL: "info",
    };
    const child = spawn(PERDURE, ["serve", "--demo", "--bind", `127.0.0.1:${this.port}`], {
      env: environment,
    });
    this.#process = child;
    const before = this.log.length;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`The server did not start:\n${this.log}`)), READY_MS);
      const hear = (chunk) => {
        this.log += chunk;
        const link = /(http:\/\/[^\s]*\/login\/link\?token=[^\s]+)/.exec(this.log);
        if (link) this.link = link[1];
        if (this.link && /ready at http/.test(this.log.slice(before))) {
          clearTimeout(timer);
          resolve();
        }
      };
      child.stdout.on("data", hear);
      child.stderr.on("data", hear);
      child.on("exit", (code) => {
        clearTimeout(timer);
        reject(new Error(`The server ended with ${code}:\n${this.log.slice(-4000)}`));
      });
    });
  }

  /** As if the machine lost power: nothing gets to say goodbye. */
  kill() {
    return this.#end("SIGKILL");
  }

  async stop() {
    await this.#end("SIGTERM");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #end(signal) {
    return new Promise((resolve) => {
      if (!this.#process || this.#process.exitCode !== null) return resolve();
      this.#process.removeAllListeners("exit");
      this.#process.on("exit", resolve);
      this.#process.kill(signal);
    });
  }
}
