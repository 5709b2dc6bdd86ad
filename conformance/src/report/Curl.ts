import { bodyOf, headerArgs } from "../repro/CurlArguments.ts"
import { quote, word } from "../repro/Shell.ts"
import type { RecordedExchange } from "./Report.ts"

/** What stands where a bearer token was, in a header as it is sent. */
const bearer = /(?<=^Authorization: Bearer )‹[^‹›]*›$/gi

/**
 * One request as a curl command. `$TOKEN` stands for the bearer token; other secrets stay the marks that redaction left,
 * for whoever copies the command to put in. Nothing that a deployment answered can name a variable of the shell.
 */
export const curl = (exchange: RecordedExchange): string => {
  const toWord = (text: string) => word(text, bearer, () => "$TOKEN")
  const { args, pipe } = bodyOf(exchange, toWord)
  const { method, url } = exchange.request
  return [
    `${pipe}curl --include --globoff --path-as-is ${method === "HEAD" ? "--head" : `--request ${quote(method)}`}`,
    ...headerArgs(exchange, toWord),
    ...args,
    quote(url)
  ].join(" \\\n  ")
}
