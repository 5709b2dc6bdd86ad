import type { RecordedExchange } from "../report/Report.ts"
import { handle } from "../text/Handle.ts"
import { quote } from "./Shell.ts"

/** Quotes a text as one shell word and expands the variables in it. */
export type ToWord = (text: string) => string

const formType = /^application\/x-www-form-urlencoded\b/i

/** The longest word that can be passed to a program. */
const maxWordChars = 60_000

const octal = (text: string): string =>
  [...new TextEncoder().encode(text)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")

/** Decodes a form value; returns it unchanged if it is not encoded. */
const formValue = (text: string): string => {
  const spaced = text.replaceAll("+", " ")
  return /%(?![0-9a-f]{2})/i.test(spaced) ? spaced : decodeURIComponent(spaced)
}

/** Returns the arguments that send a body, and the pipe for a body that cannot be an argument. */
export const bodyOf = ({ request }: RecordedExchange, toWord: ToWord) => {
  const { body, headers } = request
  if (body === "") return { args: [], pipe: "" }
  // a shell's words cannot hold NUL
  if (body.includes("\0")) return { args: ["--data-binary @-"], pipe: `printf '${octal(body)}' | ` }
  if (body.length > maxWordChars) return { args: ["--data-binary @-"], pipe: `printf %s ${toWord(body)} | ` }
  const isForm = headers.some(([name, value]) => name.toLowerCase() === "content-type" && formType.test(value))
  if (!isForm || !handle.test(body)) return { args: [`--data-raw ${toWord(body)}`], pipe: "" }
  const args = body.split("&").map((pair) => {
    const [name = "", value = ""] = pair.split(/=(.*)/s)
    return handle.test(value)
      ? `--data-urlencode ${quote(`${name}=`)}${toWord(formValue(value))}`
      : `--data-raw ${toWord(pair)}`
  })
  return { args, pipe: "" }
}

/** curl adds these headers unless they are removed. Its `User-Agent` stays, because a firewall may want one. */
const addedByCurl = ["Accept", "Content-Type"]

/** A header as an argument. In curl, a name with a semicolon is a header without a value. */
const headerArg = (name: string, value: string, toWord: ToWord): string => {
  const [, pair] = /^Basic base64\((.*)\)$/s.exec(value) ?? []
  if (pair !== undefined) return `--header ${quote(`${name}: Basic `)}"$(${base64Of(toWord(pair))})"`
  return `--header ${toWord(value === "" ? `${name};` : `${name}: ${value}`)}`
}

/** A command that prints a word in Base64. */
const base64Of = (pair: string): string => `printf %s ${pair} | base64 | tr -d '\\n'`

/** Returns the arguments that send exactly the recorded headers. */
export const headerArgs = ({ request }: RecordedExchange, toWord: ToWord): ReadonlyArray<string> => {
  const names = request.headers.map(([name]) => name.toLowerCase())
  const unwanted = addedByCurl.filter((name) => !names.includes(name.toLowerCase()))
  return [
    ...request.headers.map(([name, value]) => headerArg(name, value, toWord)),
    ...unwanted.map((name) => `--header ${name}:`)
  ]
}
