import { Data, Effect, Layer } from "effect"

/** Nothing was started and nothing stored was changed; the message is one sentence that says what to do. */
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

/** The layer, whose errors say in one sentence what is wrong, as a part of the start. */
export const refusing = <A, E extends { readonly message: string }, R>(
  layer: Layer.Layer<A, E, R>
): Layer.Layer<A, StartRefused, R> =>
  Layer.effectContext(Effect.mapError(Layer.build(layer), ({ message }) => new StartRefused({ message })))
