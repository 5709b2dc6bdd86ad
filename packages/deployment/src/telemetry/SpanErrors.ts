import { Cause, Exit, Predicate, Tracer } from "effect"

/** The error of a span: only a name. The message of an error can contain rows of the store or data of a request. */
class SpanError extends Error {
  constructor(name: string) {
    super(name)
    this.name = name
    delete this.stack
  }
}

const nameOf = (error: unknown): string => {
  if (Predicate.hasProperty(error, "_tag") && typeof error._tag === "string") return error._tag
  return error instanceof Error ? error.constructor.name : "unknown error"
}

const bare = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return exit
  return Exit.die(new SpanError(nameOf(Cause.squash(exit.cause))))
}

/** Returns a tracer whose spans have the names of their errors, but not their messages and causes. */
export const withoutDetails = (tracer: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    span: (options) => {
      const span = tracer.span(options)
      const end = span.end.bind(span)
      span.end = (endTime, exit) => end(endTime, bare(exit))
      return span
    }
  })
