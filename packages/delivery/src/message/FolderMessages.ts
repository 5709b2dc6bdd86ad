import { mkdir, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Messages } from "@wcs/domain/message/Messages"
import { Effect, Layer } from "effect"
import { composed, type Sender } from "./Mime.ts"

/** Writes each message as a file `<id>.eml` into a folder, for trials. A message that is sent again replaces its file. */
export const layer = (folder: string, sender: Sender): Layer.Layer<Messages> =>
  Layer.succeed(
    Messages,
    Messages.of({
      send: Effect.fnUntraced(function* (letter, handed) {
        const bytes = yield* composed(sender, letter)
        const path = join(folder, `${letter.messageId}.eml`)
        const written = Effect.tryPromise(async () => {
          await mkdir(folder, { recursive: true, mode: 0o700 })
          handed()
          // The rename makes the file appear whole.
          await writeFile(`${path}.part`, bytes, { mode: 0o600 })
          await rename(`${path}.part`, path)
        })
        return yield* written.pipe(
          Effect.as({ _tag: "Accepted", reply: "Written to the folder." } as const),
          Effect.catch(({ cause }) =>
            Effect.as(Effect.logWarning("The folder for messages failed.", cause), {
              _tag: "Later",
              reply: "The message could not be written to the folder."
            } as const)
          )
        )
      })
    })
  )
