import type { ComponentProps, ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";

export interface ButtonProps extends ComponentProps<"button"> {
  /** `main` is brass: the primary action. `danger` cannot be undone. `quiet` has no border. */
  readonly tone?: "main" | "plain" | "quiet" | "danger";
  readonly icon?: IconName;
  readonly busy?: boolean;
  readonly small?: boolean;
  /** A tooltip, which is also the description for screen readers. */
  readonly tip?: string | undefined;
  readonly children?: ReactNode;
}

export const Button = ({
  tone = "plain",
  icon,
  busy = false,
  small = false,
  tip,
  className = "",
  disabled,
  children,
  ...rest
}: ButtonProps) => (
  <button
    type="button"
    className={`btn btn-${tone} ${small ? "btn-small" : ""} ${className}`}
    disabled={disabled === true || busy}
    aria-busy={busy || undefined}
    aria-description={tip}
    data-tip={tip}
    {...rest}
  >
    {icon !== undefined && <Icon name={icon} />}
    {children}
  </button>
);

/** A button with only an icon. Its label is the accessible name and the tooltip. */
export const IconButton = ({
  icon,
  label,
  className = "",
  ...rest
}: { readonly icon: IconName; readonly label: string } & ComponentProps<"button">) => (
  <button type="button" className={`icon-btn ${className}`} aria-label={label} data-tip={label} {...rest}>
    <Icon name={icon} size={18} />
  </button>
);
