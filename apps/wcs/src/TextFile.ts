import { readFile } from "node:fs/promises"
import { text } from "node:stream/consumers"
import { withoutByteOrderMark } from "@wcs/domain/shared/ByteOrderMark"
import { reasonOf } from "@wcs/node-server/StartRefused"
import { Effect } from "effect"
import { Misused } from "./Output.ts"

/** Reads a text file that people write, or standard input for `-`, without its byte-order mark. */
export const readTextFile = (file: string): Effect.Effect<string, Misused> =>
  Effect.tryPromise({
    try: () => (file === "-" ? text(process.stdin) : readFile(file, "utf8")),
    catch: (cause) => new Misused({ message: `${file} cannot be read: ${reasonOf(cause)}` })
  }).pipe(Effect.map(withoutByteOrderMark))
