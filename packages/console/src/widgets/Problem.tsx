import { useEffect, useRef, useState } from "preact/hooks"
import type { Refusal } from "../calls/Refusal.ts"
import { withLabels } from "../records/FieldLabels.ts"
import { Copy } from "./Copy.tsx"

/** Counts the seconds of a wait down to 0. */
const useCountdown = (seconds: number | null): number => {
  const [left, setLeft] = useState(seconds ?? 0)
  useEffect(() => {
    setLeft(seconds ?? 0)
    const timer = setInterval(() => setLeft((before) => Math.max(0, before - 1)), 1000)
    return () => clearInterval(timer)
  }, [seconds])
  return left
}

/** A refusal in the words of the server, with the request id and, where it makes sense, another attempt. */
export const Problem = ({
  error,
  onRetry
}: {
  readonly error: Refusal | null | undefined
  readonly onRetry?: () => unknown
}) => {
  const left = useCountdown(error?.retryAfterSeconds ?? null)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (box.current?.closest("dialog, form") != null) box.current.scrollIntoView({ block: "nearest" })
  }, [error])
  if (error === null || error === undefined) return null
  return (
    <div class="problem" role="alert" ref={box}>
      <p>{withLabels(error.message)}</p>
      {left > 0 ? <p>You can try again in {left} s.</p> : null}
      {onRetry === undefined ? null : (
        <button type="button" disabled={left > 0} onClick={onRetry}>
          Try again
        </button>
      )}
      {error.requestId === "" ? null : (
        <p class="quiet">
          Request <code>{error.requestId}</code> <Copy text={error.requestId} what="the request id" />
        </p>
      )}
    </div>
  )
}
