import { Readable } from "node:stream"
import { attemptMillis, type Outcome } from "@wcs/domain/message/Message"
import { Messages } from "@wcs/domain/message/Messages"
import { Effect, Layer, Redacted } from "effect"
import { composed, messageMax, type Sender } from "./Mime.ts"

/** The mail server. */
export interface MailServer extends Sender {
  readonly host: string
  readonly port: number
  /**
   * implicit: TLS from the first byte. starttls: TLS before anything else, or no message. none: without TLS, for a server
   * on the same machine.
   */
  readonly tls: "implicit" | "starttls" | "none"
  readonly login: { readonly user: string; readonly password: Redacted.Redacted } | null
  /** Certificates of further authorities, PEM. */
  readonly authorities?: ReadonlyArray<string>
}

/** What the library tells of a failure. */
interface SmtpError extends Error {
  readonly code?: string
  readonly command?: string
  /** The status of the server's answer. */
  readonly responseCode?: number
  readonly response?: string
}

/** Steps about the connection or the login, whose refusal says nothing about the message. */
const isAboutConnection = ({ code, command = "" }: SmtpError): boolean =>
  code === "EAUTH" || code === "ETLS" || /^(CONN|EHLO|HELO|STARTTLS|AUTH|API)/.test(command)

/**
 * Tells how a failed attempt ended. `isHanded` says that the server had asked for the message, and the message was given to
 * it. Then only an answer is certain.
 */
export const outcomeOf = (error: SmtpError, isHanded: boolean): Outcome => {
  const reply = error.response ?? error.message
  const { responseCode } = error
  if (responseCode === undefined) return { _tag: isHanded ? "Unknown" : "Later", reply }
  const isForGood = responseCode >= 500 && responseCode < 600 && !isAboutConnection(error)
  return { _tag: isForGood ? "Refused" : "Later", reply }
}

/** Time limits of one attempt, in milliseconds. Together they are below `attemptMillis`. */
const timeouts = {
  connectionTimeout: attemptMillis / 8,
  greetingTimeout: attemptMillis / 8,
  socketTimeout: attemptMillis / 2,
  dnsTimeout: attemptMillis / 8
}

type Connection = InstanceType<typeof import("nodemailer/lib/smtp-connection")["default"]>

const optionsOf = ({ authorities, host, port, tls }: MailServer) => ({
  host,
  port,
  secure: tls === "implicit",
  requireTLS: tls === "starttls",
  ignoreTLS: tls === "none",
  ...(authorities === undefined ? {} : { tls: { ca: [...authorities] } }),
  ...timeouts
})

/** Sends bytes by one connection. Calls back once. */
const converse = (
  connection: Connection,
  { from, login }: MailServer,
  to: string,
  bytes: Buffer,
  done: (outcome: Outcome) => void
): void => {
  let isHanded = false
  let isDone = false
  const end = (outcome: Outcome) => {
    if (isDone) return
    isDone = true
    if (outcome._tag === "Accepted") connection.quit()
    else connection.close()
    done(outcome)
  }
  const fail = (error: SmtpError) => end(outcomeOf(error, isHanded))
  // The library reads the message only after the server has asked for it.
  const body = new Readable({
    read() {
      isHanded = true
      this.push(bytes)
      this.push(null)
    }
  })
  const send = () =>
    connection.send({ from, to: [to], size: bytes.length }, body, (error, info) =>
      error ? fail(error as SmtpError) : end({ _tag: "Accepted", reply: info?.response ?? "" })
    )
  connection.on("error", (error: Error) => fail(error as SmtpError))
  connection.once("end", () => fail(new Error("The mail server closed the connection.") as SmtpError))
  connection.connect((error) => {
    if (error) return fail(error as SmtpError)
    if (login === null) return send()
    const credentials = { user: login.user, pass: Redacted.value(login.password) }
    connection.login({ credentials }, (refused) => (refused ? fail(refused as SmtpError) : send()))
  })
}

/** Sends messages by SMTP, each by a connection of its own. */
export const layer = (server: MailServer): Layer.Layer<Messages> =>
  Layer.succeed(
    Messages,
    Messages.of({
      send: Effect.fnUntraced(function* (letter) {
        const bytes = yield* composed(server, letter)
        if (bytes.length > messageMax)
          return { _tag: "Refused", reply: `The message has more than ${messageMax} bytes.` }
        const { default: SmtpConnection } = yield* Effect.promise(() => import("nodemailer/lib/smtp-connection"))
        return yield* Effect.callback<Outcome>((resume) => {
          const connection = new SmtpConnection(optionsOf(server))
          converse(connection, server, letter.to, bytes, (outcome) => resume(Effect.succeed(outcome)))
          return Effect.sync(() => connection.close())
        })
      })
    })
  )
