import { useQueryClient } from "@tanstack/preact-query"
import { useRef, useState } from "preact/hooks"
import { upload } from "./Call.ts"
import type { CallName, Output } from "./Contract.ts"
import { Refusal } from "./Refusal.ts"

const nameMax = 150

/** The name of a file, cut before its ending. */
const shortName = (name: string): string => {
  const letters = [...name.toWellFormed()]
  const ending = name.slice(name.lastIndexOf(".")).slice(0, 10)
  return letters.length <= nameMax ? letters.join("") : letters.slice(0, nameMax - ending.length).join("") + ending
}

/** Uploads a file by a call, one at a time. `mediaType` is the type of the body. Then every answer on the screen is read again. */
export const useUpload = <Name extends CallName & `POST ${string}`>(
  name: Name,
  mediaType: string,
  onDone: (answer: Output<Name>) => void,
  params: Readonly<Record<string, string>> = {}
) => {
  const client = useQueryClient()
  const isRunning = useRef(false)
  const [error, setError] = useState<Refusal | null>(null)
  const [isPending, setIsPending] = useState(false)
  const send = (file: File) => {
    if (isRunning.current) return
    isRunning.current = true
    setIsPending(true)
    setError(null)
    upload(name, { params, query: { name: shortName(file.name) } }, mediaType, file)
      .then(async (answer) => {
        await client.invalidateQueries()
        onDone(answer)
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
