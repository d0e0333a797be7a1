/** What the page and the frame that draws say to each other. */

export interface Wanted {
  /** Answers name what they answer. */
  request: number;
  /** The element's id, which the drawing's own styles name. */
  id: string;
  source: string;
  theme: "light" | "dark";
}

/** The drawing as markup without styles, and the styles: the page may not take them from markup. */
export type Drawn = { request: number } & ({ svg: string; css: string } | { reason: string });

/** Where the frame's markup keeps the style of an element. */
export const STYLE = "data-style";
export const READY = "ready";
