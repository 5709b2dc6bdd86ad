import type { ChildProcess } from "node:child_process"

/** A question to a process, and its answer, matched by number. */
interface Question {
  readonly id: number
  readonly name: string
  readonly input: unknown
}
interface Reply {
  readonly id: number
  readonly output?: unknown
  readonly error?: string
}

/** Reports readiness, then answers the parent's questions until the parent disconnects. */
export const answerQuestions = (
  answers: Readonly<Record<string, (input: never) => unknown>>,
  ready: unknown = null
): void => {
  process.on("message", async ({ id, input, name }: Question) => {
    const tell = (reply: Omit<Reply, "id">) => process.send?.({ id, ...reply })
    try {
      tell({ output: await answers[name]?.(input as never) })
    } catch (error) {
      tell({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  })
  process.on("disconnect", () => process.exit(0))
  process.send?.({ id: 0, output: ready })
}

/** A process that answers questions. */
export class Answering {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, (reply: Reply) => void>()
  readonly #ended: Promise<void>
  #asked = 0

  constructor(child: ChildProcess) {
    this.#child = child
    this.#ended = new Promise((resolve) => child.once("exit", () => resolve()))
    child.on("message", (reply: Reply) => {
      this.#waiting.get(reply.id)?.(reply)
      this.#waiting.delete(reply.id)
    })
    child.once("exit", (code) => {
      for (const tell of this.#waiting.values()) tell({ id: 0, error: `the process ended with ${code}` })
    })
  }

  /** Waits until the process can answer. */
  ready(): Promise<unknown> {
    return this.#reply(0)
  }

  ask(name: string, input: unknown = null): Promise<unknown> {
    const id = ++this.#asked
    const reply = this.#reply(id)
    this.#child.send({ id, name, input })
    return reply
  }

  /** Lets the process end by itself. */
  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect()
    await this.#ended
  }

  #reply(id: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ error, output }) => (error === undefined ? resolve(output) : reject(new Error(error))))
    })
  }
}
