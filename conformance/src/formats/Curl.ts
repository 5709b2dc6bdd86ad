import type { RecordedExchange } from "../report/Report.ts"
import { bodyOf, headerArgs } from "../repro/CurlArguments.ts"
import { quote, word } from "../repro/Shell.ts"

/** The marker of a bearer token in a sent header. */
const bearer = /(?<=^Authorization: Bearer )‹[^‹›]*›$/gi

/**
 * Returns a request as a curl command. `$TOKEN` replaces the bearer token. Other secrets stay as handles that
 * the reader replaces. Text of the deployment never becomes a shell variable.
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
