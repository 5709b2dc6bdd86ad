import { useEffect, useRef } from "preact/hooks"
import type { Refusal } from "../calls/Refusal.ts"

/**
 * Returns a function that runs a submit once: a double-click or a second Enter does nothing, even before the screen is
 * drawn again. A refusal allows another attempt. `stays` allows one after success too, for a form that stays open.
 */
export const useSubmission = (
  { error, isPending }: { readonly error: Refusal | null; readonly isPending: boolean },
  stays = false
): ((submit: () => void) => void) => {
  const isSent = useRef(false)
  useEffect(() => {
    if (!isPending && (stays || error !== null)) isSent.current = false
  }, [error, isPending, stays])
  return (submit) => {
    if (isSent.current) return
    isSent.current = true
    submit()
  }
}
