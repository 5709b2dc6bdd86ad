import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"

/** The frame of a screen: its heading, which is the title of the page too, and its actions. */
export const Screen = ({
  actions,
  children,
  title
}: {
  readonly title: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}) => {
  useEffect(() => {
    document.title = `${title} · Workforce Compliance`
  }, [title])
  return (
    <main id="main" tabIndex={-1}>
      <header class="heading">
        <h1>{title}</h1>
        <div class="actions">{actions}</div>
      </header>
      {children}
    </main>
  )
}
