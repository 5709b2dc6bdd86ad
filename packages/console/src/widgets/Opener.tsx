import { type ComponentChildren, Fragment } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { type Privilege, useMay } from "../calls/Me.ts"
import { focusMain } from "../shell/Focus.ts"

type Draw = (close: () => void) => ComponentChildren

let open: (draw: Draw) => void = () => {}

/** The dialogs that buttons have opened. They stay when a row that was read again loses its button. */
export const OpenDialogs = () => {
  const [dialogs, setDialogs] = useState<ReadonlyArray<{ readonly draw: Draw; readonly key: symbol }>>([])
  const { path } = useLocation()
  useEffect(() => {
    open = (draw) => setDialogs((others) => [...others, { draw, key: Symbol() }])
    return () => setDialogs([]) // another screen
  }, [path])
  const close = (closed: symbol) => setDialogs((all) => all.filter(({ key }) => key !== closed))
  return (
    <>
      {dialogs.map(({ draw, key }) => (
        <Fragment key={key}>{draw(() => close(key))}</Fragment>
      ))}
    </>
  )
}

/** A button that opens a dialog, which `dialog` draws with the function that closes it. */
export const Opener = ({
  children,
  class: className = "small",
  dialog,
  name,
  needs
}: {
  /** The privilege of the dialog. Without it, there is no button. */
  readonly needs?: Privilege
  readonly children: ComponentChildren
  readonly class?: string | undefined
  /** Tells buttons of a list apart for people who do not see the row. */
  readonly name?: string | undefined
  readonly dialog: Draw
}) => {
  const may = useMay()
  const button = useRef<HTMLButtonElement>(null)
  // The answer to a change may remove the button, for example with the row of a revoked token.
  useEffect(
    () => () => {
      if (document.activeElement === button.current) focusMain()
    },
    []
  )
  return needs !== undefined && !may(needs) ? null : (
    <button ref={button} type="button" class={className} aria-label={name} onClick={() => open(dialog)}>
      {children}
    </button>
  )
}
