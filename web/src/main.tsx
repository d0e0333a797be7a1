import "@fontsource-variable/inter";
import "@fontsource-variable/jetbrains-mono";
import "./styles/tokens.css";
import "./styles/base.css";
import "./ui/ui.css";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App.tsx";
import { makeStores, StoresContext } from "./chat/network/stores.ts";
import { applyTheme } from "./page/theme.ts";
import { Toasts } from "./ui/Toasts.tsx";

applyTheme();
const queries = new QueryClient({ defaultOptions: { queries: { refetchOnWindowFocus: false, retry: 1 } } });

createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <StoresContext value={makeStores()}>
        <Toasts>
          <App />
        </Toasts>
      </StoresContext>
    </QueryClientProvider>
  </StrictMode>,
);
