// Styles first, because they define the order of the layers.
import "./styles/tokens.css";
import "./styles/base.css";
import "./parts/parts.css";
import "./styles/touch.css";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { watchHeight } from "./app/height.ts";
import { afterFirstScreen } from "./parts/later.tsx";
import { wearSettings } from "./store/settings.ts";
import { spoken } from "./words/language.ts";

document.documentElement.lang = spoken;
wearSettings();
watchHeight();
// Tooltips can wait. Without them, each control still has its name.
void afterFirstScreen()
  .then(() => import("./parts/tips.ts"))
  .then(
    ({ watchTips }) => watchTips(),
    () => undefined,
  );
createRoot(document.querySelector("#page")!).render(<App />);
