/** The frame that draws. It has no origin and may load nothing but its own scripts: what a model wrote is drawn here. */

import "@fontsource-variable/inter";
import { drawn, FONT } from "./drawn.ts";
import { READY, type Wanted } from "./messages.ts";

addEventListener("message", (event: MessageEvent<Wanted>) => {
  if (event.source !== parent) return;
  void drawn(event.data).then((answer) => parent.postMessage(answer, event.origin));
});

// What is measured with another font would not fit its box.
void document.fonts.load(`16px "${FONT}"`).finally(() => parent.postMessage(READY, "*"));
