import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";
import "./splash.css";

export const Splash = ({
  title,
  busy = false,
  children,
}: {
  readonly title: string;
  readonly busy?: boolean;
  readonly children?: ReactNode;
}) => (
  <main className="splash">
    <div className={`splash-in ${busy ? "splash-busy" : ""}`}>
      <Icon name="helm" size={48} />
      <h1>{title}</h1>
      {children}
    </div>
  </main>
);
