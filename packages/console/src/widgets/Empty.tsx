import type { ComponentChildren } from "preact"

/** A list without items. `children` say what to do next. */
export const Empty = ({ children, title }: { readonly title: string; readonly children?: ComponentChildren }) => (
  <div class="empty">
    <p>
      <strong>{title}</strong>
    </p>
    {children}
  </div>
)
