/** The page that the budgets are measured on: one story, and nothing of the test runner. */

import "@fontsource-variable/inter";
import "@fontsource-variable/jetbrains-mono";
import "../styles/tokens.css";
import "../styles/base.css";
import "../ui/ui.css";
import { createRoot } from "react-dom/client";
import { FiveThousandMessages } from "./budget.stories.tsx";
import { serve } from "./server.ts";

document.documentElement.dataset.theme = "light";
serve({});
createRoot(document.getElementById("root") as HTMLElement).render(FiveThousandMessages.render());
