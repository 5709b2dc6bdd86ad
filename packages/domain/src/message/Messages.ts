import { Context, type Effect } from "effect"
import type { Outcome } from "./Message.ts"

/** A message as it is handed to the mail server. */
export interface Letter {
  /** The same for each attempt. Letters, digits and `_`: the left side of the `Message-ID`. */
  readonly messageId: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** BCP 47 tag of the language of the text. */
  readonly language: string
}

/** Hands one message to the outside. */
export class Messages extends Context.Service<
  Messages,
  {
    /**
     * Makes one attempt. Never fails: it tells how the attempt ended. `Unknown` is the end of an attempt that may have been
     * accepted; every other end is certain. Calls `handed` before the message can be taken. An attempt that is interrupted
     * before that was certainly not accepted.
     */
    readonly send: (letter: Letter, handed: () => void) => Effect.Effect<Outcome>
  }
>()("@wcs/domain/Messages") {}

/** Whether this deployment sends messages. */
export const MessagesOn = Context.Reference<boolean>("@wcs/domain/MessagesOn", { defaultValue: () => false })
