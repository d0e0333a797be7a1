/** A browser's storage that forgets with the test. */
export class Memory implements Storage {
  readonly #items = new Map<string, string>();

  get length(): number {
    return this.#items.size;
  }
  key = (at: number) => [...this.#items.keys()][at] ?? null;
  getItem = (key: string) => this.#items.get(key) ?? null;
  setItem(key: string, value: string): void {
    this.#items.set(key, value);
  }
  removeItem = (key: string) => void this.#items.delete(key);
  clear = () => this.#items.clear();
}
