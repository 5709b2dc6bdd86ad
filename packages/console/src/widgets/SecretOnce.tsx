import { useEffect } from "preact/hooks"
import { Copy } from "./Copy.tsx"
import { Dialog } from "./Dialog.tsx"

/** A secret that the server shows this once (AUT-13, OAU-23). Leaving the page asks first. */
export const SecretOnce = ({
  hint,
  name,
  onClose,
  secret
}: {
  /** The name of the secret, such as "Token of laptop". */
  readonly name: string
  readonly secret: string
  readonly hint: string
  readonly onClose: () => void
}) => {
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener("beforeunload", warn)
    return () => removeEventListener("beforeunload", warn)
  }, [])
  return (
    <Dialog title={name} onClose={onClose}>
      <p>Copy it now. It is shown this once and cannot be read again.</p>
      <p class="secret">
        <code>{secret}</code> <Copy text={secret} what={name} />
      </p>
      <p class="quiet">{hint}</p>
      <div class="actions">
        <button type="button" onClick={onClose}>
          I have stored it
        </button>
      </div>
    </Dialog>
  )
}
