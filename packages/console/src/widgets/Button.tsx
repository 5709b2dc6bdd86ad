import type { ComponentChildren } from "preact"

/** A button. While `isBusy` it keeps the focus and ignores presses: a disabled button would drop the focus. */
export const Button = ({
  children,
  class: className,
  disabled = false,
  isBusy = false,
  onClick,
  type = "button"
}: {
  readonly children: ComponentChildren
  readonly class?: string
  readonly disabled?: boolean
  readonly isBusy?: boolean
  readonly onClick?: () => void
  readonly type?: "button" | "submit"
}) => (
  <button
    type={type}
    class={className}
    disabled={disabled}
    aria-disabled={isBusy ? "true" : undefined}
    onClick={(event) => (isBusy ? event.preventDefault() : onClick?.())}
  >
    {children}
  </button>
)
