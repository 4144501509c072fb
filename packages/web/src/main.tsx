// Styles first, because they define the order of the layers.
import "./styles/tokens.css";
import "./styles/base.css";
import "./parts/parts.css";
import "./styles/touch.css";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { watchHeight } from "./app/height.ts";
import { watchTips } from "./parts/tips.ts";
import { wearSettings } from "./store/settings.ts";
import { spoken } from "./words/language.ts";

document.documentElement.lang = spoken;
wearSettings();
watchHeight();
watchTips();
createRoot(document.querySelector("#page")!).render(<App />);
