import type { ComponentChildren } from "preact"
import { type Privilege, useMay } from "../calls/Me.ts"

/** A link to the form that adds a record to a list, for those who may. */
export const AddLink = ({
  children,
  href,
  privilege
}: {
  readonly privilege: Privilege
  readonly href: string
  readonly children: ComponentChildren
}) =>
  useMay()(privilege) ? (
    <a class="button main" href={href}>
      {children}
    </a>
  ) : null
