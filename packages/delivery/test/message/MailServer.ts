/** A real SMTP server on loopback, whose behaviour a test decides message by message. */
import { Effect } from "effect"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"

/**
 * What the server does with the next message. `acceptAndDie`: takes it, and is killed before its answer. `dieBefore`: is
 * killed before it takes it. `closed`: is killed at the greeting.
 */
export type Behaviour =
  | "accept"
  | "acceptAndDie"
  | "dieBefore"
  | "closed"
  | "refusedAtMail"
  | "forbiddenAtRcpt"
  | "laterAtRcpt"
  | "laterAtData"
  | "refusedAtRcpt"
  | "refusedAtData"

/** A message that the server took, with its text as received. */
export interface Taken {
  readonly messageId: string
  readonly text: string
  readonly to: ReadonlyArray<string>
  readonly isSecure: boolean
}

const refusal = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode })

/** Starts a server. `next` gives the behaviour of each connection. Stops with the scope. */
export const started = (next: () => Behaviour, options: SMTPServerOptions = {}) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly taken: ReadonlyArray<Taken>; readonly close: () => void }>(
      (resume) => {
        const taken: Array<Taken> = []
        const behaviours = new Map<string, Behaviour>()
        const kill = () => {
          for (const connection of server.connections) Reflect.get(connection, "_socket").destroy()
        }
        const server = new SMTPServer({
          authOptional: true,
          disabledCommands: ["STARTTLS"],
          logger: false,
          closeTimeout: 1,
          ...options,
          onConnect: (session, callback) => {
            const behaviour = next()
            behaviours.set(session.id, behaviour)
            if (behaviour === "closed") return kill()
            callback()
          },
          onMailFrom: (_address, session, callback) =>
            behaviours.get(session.id) === "refusedAtMail" ? callback(refusal(553, "not your address")) : callback(),
          onRcptTo: ({ address }, session, callback) => {
            const behaviour = behaviours.get(session.id)
            if (behaviour === "laterAtRcpt") return callback(refusal(451, "try later"))
            if (behaviour === "forbiddenAtRcpt") return callback(refusal(554, "5.7.1 relay access denied"))
            if (behaviour === "refusedAtRcpt") return callback(refusal(550, `<${address.toUpperCase()}> no such user`))
            callback()
          },
          onData: (stream, session, callback) => {
            const chunks: Array<Buffer> = []
            stream.on("data", (chunk: Buffer) => chunks.push(chunk))
            stream.on("end", () => {
              const text = Buffer.concat(chunks).toString()
              const messageId = /^Message-ID: <(\S+)>/im.exec(text)?.[1] ?? ""
              const to = session.envelope.rcptTo.map(({ address }) => address)
              const behaviour = behaviours.get(session.id)
              if (behaviour === "dieBefore") return kill()
              if (behaviour === "laterAtData") return callback(refusal(451, "try later"))
              if (behaviour === "refusedAtData") return callback(refusal(554, "not wanted"))
              taken.push({ messageId, text, to, isSecure: session.secure })
              if (behaviour === "acceptAndDie") return kill()
              callback(null, "taken")
            })
          }
        })
        // Clients that leave are no failure of the server.
        server.on("error", () => {})
        const close = () => {
          kill()
          server.close()
        }
        const listening = server.listen(0, "127.0.0.1", () => {
          const address = listening.address()
          resume(Effect.succeed({ port: typeof address === "object" ? (address?.port ?? 0) : 0, taken, close }))
        })
      }
    ),
    ({ close }) => Effect.sync(close)
  )
