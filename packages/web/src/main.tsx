import "./styles/tokens.css";
import "./styles/base.css";
import { createRoot } from "react-dom/client";

createRoot(document.querySelector("#page")!).render(<main>Quarterdeck</main>);
