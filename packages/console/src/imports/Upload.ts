import { useQueryClient } from "@tanstack/preact-query"
import { useRef, useState } from "preact/hooks"
import { upload } from "../calls/Call.ts"
import type { Data } from "../calls/Contract.ts"
import { Refusal } from "../calls/Refusal.ts"

/** Uploads a file, one at a time. */
export const useUpload = (onDone: (data: Data<"POST /imports">) => void) => {
  const client = useQueryClient()
  const isRunning = useRef(false)
  const [error, setError] = useState<Refusal | null>(null)
  const [isPending, setIsPending] = useState(false)
  const send = (file: File) => {
    if (isRunning.current) return
    isRunning.current = true
    setIsPending(true)
    setError(null)
    upload("POST /imports", { query: { name: file.name.slice(0, 200) } }, file)
      .then(async ({ data }) => {
        await client.invalidateQueries()
        onDone(data)
      })
      .catch((refusal: unknown) => {
        if (!(refusal instanceof Refusal)) throw refusal
        setError(refusal)
      })
      .finally(() => {
        isRunning.current = false
        setIsPending(false)
      })
  }
  return { send, error, isPending }
}
