import { getSystemErrorMessage } from "node:util"
import { Data, Effect, Layer } from "effect"

/** The server cannot start. The message is one sentence with the remedy. */
export class StartRefused extends Data.TaggedError("StartRefused")<{
  readonly message: string
  /** Another process uses the store. It may be a server that is still starting. */
  readonly isInUse?: boolean
  /** Further reasons, each in one sentence. */
  readonly others?: ReadonlyArray<string>
}> {}

/** Returns the error code of the operating system, or the message. */
export const reasonOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message
}

/**
 * Describes an error of the operating system in words: `no such file or directory`. Other errors keep their message.
 */
export const describe = (cause: unknown): string =>
  cause instanceof Error && "errno" in cause && typeof cause.errno === "number"
    ? getSystemErrorMessage(cause.errno)
    : reasonOf(cause)

/** Adds an initial capital and a full stop. */
const sentence = (text: string): string =>
  text.slice(0, 1).toUpperCase() + text.slice(1) + (text.endsWith(".") ? "" : ".")

/** Converts the errors of a layer to `StartRefused`. */
export const refusing = <A, E extends { readonly message: string }, R>(
  layer: Layer.Layer<A, E, R>
): Layer.Layer<A, StartRefused, R> =>
  Layer.effectContext(
    Effect.mapError(Layer.build(layer), ({ message }) => new StartRefused({ message: sentence(message) }))
  )
