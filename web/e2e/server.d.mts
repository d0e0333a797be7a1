export class PerdureServer {
  readonly port: number;
  readonly url: string;
  readonly link: string | null;
  readonly log: string;
  static started(name?: string): Promise<PerdureServer>;
  start(): Promise<void>;
  kill(): Promise<void>;
  stop(): Promise<void>;
}
