import { Data, Effect, Layer } from "effect"

/** The server does not start; the message is one sentence that says what to do. */
export class StartRefused extends Data.TaggedError("StartRefused")<{
  readonly message: string
  /** Another process has the store: it may be a server that is starting, and will soon listen. */
  readonly isInUse?: boolean
}> {}

/** What the operating system said, in a form that fits into a sentence. */
export const reasonOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message
}

/** A capital at the beginning and a full stop at the end, whoever wrote it. */
const sentence = (text: string): string =>
  text.slice(0, 1).toUpperCase() + text.slice(1) + (text.endsWith(".") ? "" : ".")

/** The layer, whose errors say in one sentence what is wrong, as a part of the start. */
export const refusing = <A, E extends { readonly message: string }, R>(
  layer: Layer.Layer<A, E, R>
): Layer.Layer<A, StartRefused, R> =>
  Layer.effectContext(
    Effect.mapError(Layer.build(layer), ({ message }) => new StartRefused({ message: sentence(message) }))
  )
