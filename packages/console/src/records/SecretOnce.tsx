import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { Copy } from "../widgets/Copy.tsx"
import { Dialog } from "../widgets/Dialog.tsx"

/**
 * A secret that the server shows this once (AUT-13, OAU-23). Leaving the page asks first, and Escape does not close.
 */
export const SecretOnce = ({
  done = "I have stored it",
  hint,
  name,
  onClose,
  secret
}: {
  /** The name of the secret, such as "Token of laptop". */
  readonly name: string
  readonly secret: string
  readonly hint: ComponentChildren
  /** The label of the button that closes. */
  readonly done?: string
  readonly onClose: () => void
}) => {
  const [wantsToLeave, setWantsToLeave] = useState(false)
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener("beforeunload", warn)
    return () => removeEventListener("beforeunload", warn)
  }, [])
  return (
    <Dialog title={name} onClose={onClose} onEscape={() => setWantsToLeave(true)}>
      <p>Copy it now. It is shown this once and cannot be read again.</p>
      <p class="secret">
        <code>{secret}</code> <Copy text={secret} what={name} />
      </p>
      <p class="quiet">{hint}</p>
      {wantsToLeave ? (
        <p class="notice" role="alert">
          Escape would lose it for good. Copy it, then press “{done}”.
        </p>
      ) : null}
      <div class="actions">
        <button type="button" onClick={onClose}>
          {done}
        </button>
      </div>
    </Dialog>
  )
}
