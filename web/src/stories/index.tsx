/** The page that shows stories, one at a time: `/stories.html?story=Name&theme=dark`. */

import "@fontsource-variable/inter";
import "@fontsource-variable/jetbrains-mono";
import "../styles/tokens.css";
import "../styles/base.css";
import "../ui/ui.css";
import { createRoot } from "react-dom/client";
import { serve } from "./server.ts";
import { type StoryFile, storiesOf } from "./story.ts";

const stories = storiesOf(
  import.meta.glob("../**/*.stories.tsx", { eager: true }) as Record<string, StoryFile>,
);
const asked = new URLSearchParams(location.search);
const chosen = stories.find((entry) => entry.name === asked.get("story"));
document.documentElement.dataset.theme = asked.get("theme") ?? "light";

const root = createRoot(document.getElementById("root") as HTMLElement);
localStorage.clear();
if (chosen) {
  serve(chosen.story.answers ?? {});
  root.render(chosen.story.render());
} else {
  root.render(
    <ul className="stack">
      {stories.map(({ name }) => (
        <li key={name}>
          <a href={`?story=${encodeURIComponent(name)}`}>{name}</a>
        </li>
      ))}
    </ul>,
  );
}
