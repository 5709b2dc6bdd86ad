import { createHash, timingSafeEqual } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { missingFrom } from "@wcs/domain/holding/CredentialType"
import { dayAt, defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
import { dayAfter } from "@wcs/domain/shared/Instant"
import type { Matched, RegisterDetail } from "@wcs/domain/verification/Register"
import { Option, Schema } from "effect"
import { type Answer, Question } from "./GatewayContract.ts"

// A gateway in one file: eleven registers as the authorities describe them, with made-up cards (DECISIONS.md#registers).
// Everybody is called Ann Example, and Ann Sample before.

type Asked = typeof Question.Type
type Answered = typeof Answer.Type

/** A register of an authority. */
interface Authority {
  /** Its own words, and the word of the contract for each. */
  readonly words: Readonly<Record<string, RegisterDetail>>
  /** What it compares with its record, beside the number. */
  readonly compares: ReadonlyArray<"lastName" | "firstName" | "birthDate" | "expiryDate">
  /** What it tells of a card with other details: that the details differ, or only that there is no valid card. */
  readonly tells: "difference" | "nothing"
  /** Without a register that can be asked, a person reads the card. */
  readonly isManual?: true
}

const authority = (
  words: Authority["words"],
  compares: Authority["compares"] = ["lastName"],
  tells: Authority["tells"] = "difference"
): Authority => ({ words, compares, tells })

/** The eleven registers by credential type. */
export const authorities: ReadonlyMap<string, Authority> = new Map(
  Object.entries({
    WWCC_NSW: authority(
      {
        cleared: "VALID",
        "application in progress": "APPLICATION_IN_PROGRESS",
        "interim bar": "INTERIM_BARRED",
        barred: "BARRED",
        closed: "WITHDRAWN"
      },
      ["lastName", "birthDate"]
    ),
    WWCC_VIC: authority({
      passed: "VALID",
      exclusion: "EXCLUDED",
      suspended: "SUSPENDED",
      revoked: "REVOKED",
      surrendered: "SURRENDERED"
    }),
    BLUE_CARD_QLD: authority({ valid: "VALID" }, ["lastName", "firstName", "expiryDate"], "nothing"),
    WWCC_WA: authority({
      "assessment notice": "VALID",
      "interim negative notice": "INTERIM_BARRED",
      "negative notice": "NEGATIVE_NOTICE",
      "deemed withdrawn": "WITHDRAWN"
    }),
    WWCC_SA: authority({ "not prohibited": "VALID", prohibited: "BARRED" }),
    WWVP_TAS: authority({
      registered: "VALID",
      "proposed negative notice": "MANUAL_REVIEW_REQUIRED",
      "negative notice": "NEGATIVE_NOTICE",
      suspended: "SUSPENDED",
      cancelled: "CANCELLED"
    }),
    WWVP_ACT: { ...authority({}, []), isManual: true },
    OCHRE_CARD_NT: authority({ valid: "VALID" }, ["lastName", "firstName", "birthDate"], "nothing"),
    NDIS_WORKER_SCREENING: authority(
      {
        draft: "APPLICATION_IN_PROGRESS",
        "under review": "APPLICATION_IN_PROGRESS",
        pending: "APPLICATION_IN_PROGRESS",
        "under assessment": "APPLICATION_IN_PROGRESS",
        cleared: "VALID",
        "interim bar": "INTERIM_BARRED",
        suspended: "SUSPENDED",
        excluded: "EXCLUDED"
      },
      []
    ),
    AHPRA_REGISTRATION: authority({ registered: "VALID", "registered with conditions": "CONDITIONAL" }, []),
    TEACHER_REGISTRATION_NSW: authority({ active: "VALID" }, []) // NESA
  } satisfies Readonly<Record<string, Authority>>)
)

/** A card in a register. */
export interface Card {
  readonly credentialType: string
  readonly identifier: string
  /** The register's own word. */
  readonly word: string
  readonly firstName: string
  readonly lastName: string
  readonly birthDate: string
  /** Days from today to the last day of validity; null if the register shows none. */
  readonly expiresInDays: number | null
}

const ann = { firstName: "Ann", lastName: "Example", birthDate: "1990-04-01" } as const

const card = (
  credentialType: string,
  identifier: string,
  word: string,
  expiresInDays: number | null = null,
  holder: Pick<Card, "firstName" | "lastName" | "birthDate"> = ann
): Card => ({ credentialType, identifier, word, expiresInDays, ...holder })

/** The made-up cards. Cards that live 5, 3 or 2 years have some of them left. */
export const cards: ReadonlyArray<Card> = [
  card("WWCC_NSW", "WWC1234567E", "cleared", 1500),
  card("WWCC_NSW", "WWC1234501E", "cleared", 30), // can be renewed
  card("WWCC_NSW", "WWC1234502E", "cleared", -1),
  card("WWCC_NSW", "WWC1234568V", "cleared", 1500), // for volunteers only
  card("WWCC_NSW", "APP12345670", "application in progress"),
  card("WWCC_NSW", "APP12345671", "closed"), // WWC1234567E has replaced the application
  card("WWCC_NSW", "WWC1234503E", "interim bar"),
  card("WWCC_NSW", "WWC1234504E", "barred"),
  card("WWCC_NSW", "WWC1234505E", "cleared", 1500, { ...ann, lastName: "Sample" }), // not changed after a marriage
  card("WWCC_VIC", "1234567A-01", "passed", 1500),
  card("WWCC_VIC", "1234568A-01", "exclusion"),
  card("WWCC_VIC", "1234569A-01", "suspended", 300),
  card("WWCC_VIC", "1234570A-01", "revoked"),
  card("WWCC_VIC", "1234571A-01", "surrendered"),
  card("BLUE_CARD_QLD", "1234567/2", "valid", 900), // 1234567/1 was renewed, so the register no longer knows it
  card("BLUE_CARD_QLD", "1234568/1", "valid", 20),
  card("WWCC_WA", "1234567", "assessment notice", 900),
  card("WWCC_WA", "1234568", "interim negative notice"),
  card("WWCC_WA", "1234569", "negative notice"),
  card("WWCC_WA", "1234570", "deemed withdrawn"),
  card("WWCC_SA", "1234567", "not prohibited", 1500),
  card("WWCC_SA", "1234568", "prohibited"),
  card("WWVP_TAS", "1234567", "registered", 1500),
  card("WWVP_TAS", "1234568", "proposed negative notice"),
  card("WWVP_TAS", "1234569", "negative notice"),
  card("WWVP_TAS", "1234570", "suspended"),
  card("WWVP_TAS", "1234571", "cancelled"),
  card("OCHRE_CARD_NT", "1234567", "valid", 600),
  card("NDIS_WORKER_SCREENING", "12345670", "cleared", 1500),
  card("NDIS_WORKER_SCREENING", "12345671", "pending"),
  card("NDIS_WORKER_SCREENING", "12345672", "interim bar"),
  card("NDIS_WORKER_SCREENING", "12345673", "suspended"),
  card("NDIS_WORKER_SCREENING", "12345674", "excluded"),
  card("AHPRA_REGISTRATION", "NMW0001234567", "registered", 300),
  card("AHPRA_REGISTRATION", "NMW0001234568", "registered with conditions", 300),
  card("TEACHER_REGISTRATION_NSW", "123456", "active")
]

const plain = (text: string | null): string => (text ?? "").normalize("NFKC").trim().toLowerCase()

/** Whether a name of the question is that on the card. An earlier name without a first name counts by its last name. */
const isNameOn =
  (one: Card, { compares }: Authority) =>
  ({ firstName, lastName }: Asked["holder"]["otherNames"][number]): boolean =>
    plain(lastName) === plain(one.lastName) &&
    (!compares.includes("firstName") || firstName === null || plain(firstName) === plain(one.firstName))

/** The last day of validity of a card. */
export const expiryOf = ({ expiresInDays }: Card, today: string): string | null =>
  expiresInDays === null ? null : dayAfter(today, expiresInDays)

/** The detail in which a question differs from a card; undefined if none that the register compares differs. */
const differenceOf = (asked: Asked, one: Card, register: Authority, today: string): RegisterDetail | undefined => {
  const { holder } = asked
  const names = [{ ...holder, lastName: holder.lastName ?? "" }, ...holder.otherNames]
  const { compares } = register
  // the present name first, then the others in their order: a mismatch only after all of them
  if (compares.includes("lastName") && !names.some(isNameOn(one, register))) return "NAME_MISMATCH"
  if (compares.includes("birthDate") && holder.birthDate !== one.birthDate) return "DETAILS_MISMATCH"
  return compares.includes("expiryDate") && asked.expiryDate !== expiryOf(one, today) ? "DETAILS_MISMATCH" : undefined
}

/** What a register that compares neither name nor date says with its answer. */
const matchedBy = ({ compares }: Authority): Pick<Answered, "matched"> =>
  compares.length === 0 ? { matched: ["identifier"] satisfies ReadonlyArray<Matched> } : {}

/** The cards by type and number. */
type Known = ReadonlyMap<string, Card>

const numberOf = ({ credentialType, identifier }: Pick<Asked, "credentialType" | "identifier">): string =>
  `${credentialType} ${plain(identifier)}`

/** The answer of a register. `today` is `YYYY-MM-DD` where the register is. */
const answerAbout = (asked: Asked, register: Authority, known: Known, today: string): Answered => {
  if (register.isManual === true) return { statusDetail: "QUEUED_MANUAL" }
  const one = known.get(numberOf(asked))
  const difference = one && differenceOf(asked, one, register, today)
  if (one === undefined || (difference !== undefined && register.tells === "nothing")) {
    // the register shows no more, but the card says that it has expired
    const isPast = register.compares.includes("expiryDate") && asked.expiryDate !== null && asked.expiryDate < today
    return { statusDetail: isPast ? "EXPIRED" : "NOT_FOUND" }
  }
  if (difference !== undefined) return { statusDetail: difference }
  const expiryDate = expiryOf(one, today)
  if (expiryDate !== null && expiryDate < today) return { statusDetail: "EXPIRED", expiryDate }
  return { statusDetail: register.words[one.word] ?? "MANUAL_REVIEW_REQUIRED", expiryDate, ...matchedBy(register) }
}

/** A request as far as the gateway reads it. */
export interface Heard {
  readonly method: string
  readonly authorization: string | undefined
  readonly body: string
}

/** A response. The body is JSON. */
export interface Said {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface ReferenceOptions {
  /** The token that a client has to send. */
  readonly token: string
  /** Default: the cards above. */
  readonly cards?: ReadonlyArray<Card>
  /** Default: today in Sydney. */
  readonly today?: () => string
}

const said = (status: number, body: object, headers: Said["headers"] = {}): Said => ({
  status,
  headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
  body: JSON.stringify(body)
})

/** A refusal. Its text repeats nothing of the request. */
const refused = (status: number, reason: string, headers?: Said["headers"]) => said(status, { reason }, headers)

const digest = (text: string) => createHash("sha256").update(text).digest()

/** The most characters of a body. */
const maxBody = 16_384

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Question))

/** Answers a complete query by these cards. Undefined if there is no register for its type. */
export const answering = (known: ReadonlyArray<Card>) => {
  const byNumber: Known = new Map(known.map((one) => [numberOf(one), one]))
  return (asked: Asked, today: string): Answered | undefined => {
    const register = authorities.get(asked.credentialType)
    return register && answerAbout(asked, register, byNumber, today)
  }
}

/** Answers one request. */
export const responding = ({
  cards: known = cards,
  today = () => dayAt(Date.now(), defaultTimeZone),
  token
}: ReferenceOptions) => {
  const expected = digest(`Bearer ${token}`)
  const answer = answering(known)
  return ({ authorization = "", body, method }: Heard): Said => {
    if (!timingSafeEqual(digest(authorization), expected)) {
      return refused(401, "the token is missing or wrong", { "www-authenticate": "Bearer" })
    }
    if (method !== "POST") return refused(405, "queries are POST requests", { allow: "POST" })
    if (body.length > maxBody) return refused(413, `a query has at most ${maxBody} characters`)
    const asked = Option.getOrUndefined(decode(body))
    if (asked === undefined) return refused(400, "the body is not a query")
    if (!authorities.has(asked.credentialType)) return refused(404, "no register for this credential type")
    const missing = missingFrom(asked.credentialType, asked)
    if (missing.length > 0) return refused(422, `the register needs ${missing.join(", ")}`)
    return said(200, answer(asked, today()) ?? {})
  }
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let body = ""
  for await (const chunk of request.setEncoding("utf8")) if (body.length <= maxBody) body += chunk
  return body
}

/**
 * Serves the gateway on a port of this machine; 0 chooses a free one.
 *
 * @public
 */
export const serve = (options: ReferenceOptions, port = 0): Promise<{ readonly url: string; close(): void }> => {
  const respond = responding(options)
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { headers, method = "" } = request
    const { body, status, ...more } = respond({
      method,
      authorization: headers.authorization,
      body: await bodyOf(request)
    })
    response.writeHead(status, more.headers).end(body)
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  return new Promise((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", () => {
      const address = server.address()
      const listened = typeof address === "object" ? address?.port : port
      resolve({
        url: `http://127.0.0.1:${listened}/`,
        close: () => {
          server.close()
          server.closeAllConnections()
        }
      })
    })
  })
}
