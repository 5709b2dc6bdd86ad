import { inOrder } from "../engine/CleanUp.ts"
import { callsPlace } from "../evidence/Difference.ts"
import { clientsOf, loginsOf } from "../profile/Clients.ts"
import { placeOf } from "../profile/Groups.ts"
import { credentialsOf } from "../profile/Principals.ts"
import type { Profile } from "../profile/Profile.ts"
import { namesOf } from "../profile/Secrets.ts"
import type { RecordedExchange, Report, RuleReport } from "../report/Report.ts"
import * as Told from "../report/Told.ts"
import { newerRoot } from "../wire/Sending.ts"
import { chainOf, givenTokensIn, idsOf, saidBy, shownAt, wordOf } from "./Chain.ts"
import { base64Of, bodyOf, headerArgs, marker } from "./CurlArguments.ts"
import { checkOf, keyPattern } from "./ReproChecks.ts"
import { reproFunctions } from "./ReproFunctions.ts"
import { attempted, type Race, raceCheck, raceOf } from "./ReproRace.ts"
import { comment, quote, variableName, word } from "./Shell.ts"

/** A variable of the script that holds something an answer showed. */
interface Captured {
  readonly name: string
  readonly value: string
  readonly exchange: number
  readonly key: string
  readonly nth: number
  /** What it is the id of, where it is the id of something made. */
  readonly type: string | undefined
  /** It was made on the second tenant's host. */
  readonly isElsewhere: boolean
}

/** Where requests go, each place under the first name that there is for it. */
const originsOf = (profile: Profile): ReadonlyArray<readonly [name: string, origin: string]> => {
  const { legacy, newer, secondTenant } = profile
  const named = [
    ["BASE", newer.tenantBaseUrl],
    ["OTHER", secondTenant?.tenantBaseUrl],
    ["PLAIN", newer.plainHttpUrl],
    ["LEGACY", legacy?.baseUrl],
    ["OTHER_LEGACY", legacy?.otherOrganization?.baseUrl],
    ["PLAIN_LEGACY", legacy?.plainHttpUrl]
  ] as const
  const names = new Map<string, string>()
  for (const [name, url] of named) {
    const place = url?.replace(/\/$/, "")
    if (place !== undefined && !names.has(place)) names.set(place, name)
  }
  return [...names].map(([place, name]) => [name, place] as const)
}

const isAtOther = ({ request }: RecordedExchange, { secondTenant }: Profile): boolean =>
  secondTenant !== undefined && request.url.startsWith(`${secondTenant.tenantBaseUrl.replace(/\/$/, "")}/`)

const typeMadeBy = ({ answer, request }: RecordedExchange, profile: Profile): string | undefined => {
  if (!URL.canParse(request.url)) return undefined // something that was taken for a secret stood in its host
  const { pathname } = new URL(request.url)
  const isMade = request.method === "POST" && answer !== null && answer.status >= 200 && answer.status < 300
  const types = [...new Set(["worker", "credential", ...Object.keys(profile.groups ?? {})])]
  return isMade ? types.find((type) => pathname === `${newerRoot}${placeOf(profile, type)}`) : undefined
}

/** What later requests of a chain, and the cleaning up, take from its answers. */
const capturedFrom = (chain: ReadonlyArray<RecordedExchange>, profile: Profile): ReadonlyArray<Captured> => {
  const said = chain.map(saidBy).join("\n")
  const tokens = givenTokensIn(said)
  const seen = new Set<string>()
  return chain.flatMap((exchange) => {
    const { number } = exchange
    const type = typeMadeBy(exchange, profile)
    const isToken = (key: string) => tokens.some((token) => token.key === key && token.exchange === number)
    const all = idsOf(exchange)
    const own = all.find(({ key }) => key === "id")
    const ids = all.filter(
      (shown) => !seen.has(shown.value) && ((type !== undefined && shown === own) || wordOf(shown.value).test(said))
    )
    for (const { value } of ids) seen.add(value)
    return [...ids, ...shownAt(exchange, isToken)].map((shown): Captured => {
      const isOwn = type !== undefined && own !== undefined && shown.value === own.value
      return {
        ...shown,
        exchange: number,
        name: variableName(isOwn ? `${type}_${number}` : `${shown.key}_${number}`),
        type: isOwn ? type : undefined,
        isElsewhere: isAtOther(exchange, profile)
      }
    })
  })
}

/**
 * What a marker of a redacted text is expanded from; undefined for what the script cannot know. Answers are redacted,
 * but not believed: only variables that the profile names are handed out, whatever a deployment had put into its ids.
 */
const expansionOf = (name: string, { captured, profile }: Pick<Making, "captured" | "profile">): string | undefined => {
  const [, key, number] = /^(\w+) of #(\d+)$/.exec(name) ?? []
  if (key !== undefined) {
    const given = captured.find((one) => one.key === key && one.exchange === Number(number))
    return given && `$${given.name}`
  }
  const [, made, of = ""] = /^(payload|signature|(?:first|last) \d+|changed)(?: of)? (.*)$/.exec(name) ?? []
  if (made !== undefined) {
    const inner = expansionOf(of, { captured, profile })
    const command = { payload: "part 2", signature: "part 3" }[made] ?? made
    return inner && `$(${command} "${inner}")`
  }
  if (namesOf(profile).includes(name)) return `$${name}`
  const [, principal = ""] = /^(?:token|Basic) of (.*?)(?:, form-encoded)?$/.exec(name) ?? []
  const isKnown = clientsOf(profile).has(principal) || loginsOf(profile).has(principal)
  return isKnown ? `$${variableName(name)}` : undefined
}

/** Everything that a script is made from. */
interface Making {
  readonly report: Report
  readonly rule: RuleReport
  readonly profile: Profile
  readonly chain: ReadonlyArray<RecordedExchange>
  readonly captured: ReadonlyArray<Captured>
  readonly word: (text: string) => string
}

/** What the script takes the place of a secret with that the report does not show. */
const madeUp = "undisclosed"

/** Whether what a chain sends is not all the same as what the run sent. */
const isApproximate = (making: Pick<Making, "captured" | "chain" | "profile">): boolean =>
  making.chain.map(saidBy).some((said) =>
    [...said.matchAll(new RegExp(marker, "g"))].some(([, name = ""]) => {
      const expansion = expansionOf(name, making)
      return expansion === undefined || expansion.includes("$(changed ")
    })
  )

const wordsOf = (report: Report, captured: ReadonlyArray<Captured>, profile: Profile): Making["word"] => {
  // what was made under a name of the run is made anew under one of the script
  const ours = `conf-${report.header.run}-`
  const byValue = new Map(
    captured.flatMap(({ name, value }) => [
      [value, name],
      [encodeURIComponent(value), name]
    ])
  )
  const values = [...byValue.keys()].filter((value) => !marker.test(value)).map((value) => wordOf(value).source)
  const parts = new RegExp([marker.source, `(?<![\\w-])${ours}(?=\\d)`, ...values].join("|"), "g")
  return (text) =>
    word(text, parts, (part) => {
      if (part === ours) return "conf-$RUN-"
      const [, name] = marker.exec(part) ?? []
      if (name === undefined) return `$${byValue.get(part)}`
      return expansionOf(name, { captured, profile }) ?? madeUp
    })
}

const urlOf = ({ profile, word: toWord }: Making, url: string): string => {
  const origin = originsOf(profile).find(([, one]) => url === one || url.startsWith(`${one}/`))
  return origin === undefined ? toWord(url) : `"$${origin[0]}"${toWord(url.slice(origin[1].length))}`
}

/**
 * What was carried out has to be carried out again where the evidence is built on it, else nothing is shown: a control,
 * and what made the things that it is about. What is itself wrong need not be.
 */
const isBuiltOn = ({ captured, rule }: Making, { answer, number }: RecordedExchange): boolean => {
  const found = Told.decisive(rule)
  const isWrong = found.some(({ differences }) => differences.some(({ exchange }) => exchange === number))
  const isEvidence = found.some(({ exchanges }) => exchanges.includes(number))
  const isMaker = captured.some(({ exchange }) => exchange === number)
  return !isWrong && (isEvidence || isMaker) && answer !== null && answer.status >= 200 && answer.status < 300
}

/** The command that sends a request as the run did. */
const asking = (making: Making, exchange: RecordedExchange): string => {
  const { args, pipe } = bodyOf(exchange, making.word)
  const { method, url } = exchange.request
  const lines = [
    `${pipe}ask ${exchange.number} ${method === "HEAD" ? "--head" : `--request ${quote(method)}`}`,
    ...headerArgs(exchange, making.word),
    ...args,
    urlOf(making, url)
  ]
  return lines.join(" \\\n  ")
}

const step = (making: Making, exchange: RecordedExchange): string => {
  const { number } = exchange
  return [
    comment(Told.exchangeLine(exchange)),
    asking(making, exchange),
    ...(isBuiltOn(making, exchange) ? [`built_on ${number}`] : []),
    ...making.captured
      .filter((one) => one.exchange === number)
      .flatMap(({ key, name, nth }) => [
        `${name}=$(id ${number} ${keyPattern(key)} ${nth})`,
        `[ -n "$${name}" ] || give_up "#${number} showed no ${name}"`
      ])
  ].join("\n")
}

/** What overlapped is sent at once; what is after it waits for all of it. */
const stepsOf = (making: Making, race: Race | undefined): ReadonlyArray<string> =>
  making.chain.map((exchange) => {
    if (race?.racers.includes(exchange) !== true) return `${step(making, exchange)}\n`
    const line = `${comment(Told.exchangeLine(exchange))}\n${asking(making, exchange)} &\n`
    return exchange === race.racers.at(-1) ? `${line}wait\n` : line
  })

/** The tenants whose admins delete what was made: a create on the second host may have made something on the first. */
const homes = [
  { principal: "admin", origin: "BASE", isElsewhere: false },
  { principal: "secondTenant.admin", origin: "OTHER", isElsewhere: true }
] as const

/** The variable that holds an admin's token. */
const adminToken = (profile: Profile, principal: (typeof homes)[number]["principal"]): string => {
  const credentials = credentialsOf(profile, principal)
  return credentials !== undefined && "token" in credentials
    ? credentials.token.slice(2, -1)
    : variableName(`token of ${principal}`)
}

const cleanUp = ({ captured, profile }: Making): string => {
  const made = inOrder(
    captured.flatMap(({ isElsewhere, name, type }) => (type === undefined ? [] : [{ isElsewhere, name, type }]))
  )
  const lines = made.flatMap(({ isElsewhere, name, type }) => {
    const how = profile.groups?.[type]?.delete
    if (how === undefined)
      return `  [ -z "\${${name}-}" ] || printf '${type} %s is left: the profile has no path to delete it\\n' "$${name}"`
    const path = word(`${newerRoot}${how.path}`, /\{\{id\}\}/g, () => `$${name}`)
    return homes
      .filter((home) => isElsewhere || !home.isElsewhere)
      .map(({ origin, principal }) => {
        const header = `--header "Authorization: Bearer $${adminToken(profile, principal)}"`
        return `  [ -z "\${${name}-}" ] || ask clean_up --request ${how.method} ${header} "$${origin}"${path} >/dev/null`
      })
  })
  return [
    "delete_made() {",
    ...lines,
    ...made.map(({ name }) => `  ${name}=`),
    "  :",
    "}",
    "",
    "clean_up() {",
    "  delete_made",
    '  rm -rf "$dir"',
    "}",
    "",
    'mkdir "$dir" || exit 2',
    "trap clean_up EXIT",
    "trap 'exit 130' HUP INT TERM"
  ].join("\n")
}

const textOf = (text: string): string => {
  const [, name] = /^\$\{(\w+)\}$/.exec(text) ?? []
  return name === undefined ? quote(text) : `"$${name}"`
}

/** The tokens and Basic pairs that the chain and the cleaning up need, each made from the environment. */
const credentials = ({ captured, chain, profile }: Making): ReadonlyArray<string> => {
  const said = chain.map(saidBy).join("\n")
  const isNeeded = (marked: string) => new RegExp(`‹[^‹›]*${marked.replaceAll(".", "\\.")}›`).test(said)
  const isCleaning = (principal: string) =>
    captured.some(({ isElsewhere, type }) =>
      homes.some((home) => home.principal === principal && type !== undefined && (isElsewhere || !home.isElsewhere))
    )
  const users = [...loginsOf(profile)].flatMap(([user, { password, username }]) =>
    isNeeded(`Basic of ${user}`)
      ? [`${variableName(`Basic of ${user}`)}=$(${base64Of(`${textOf(username)}:${textOf(password)}`)})`]
      : []
  )
  const clients = [...clientsOf(profile)].flatMap(([principal, { clientId, clientSecret }]) => {
    const origin = principal.startsWith("secondTenant") ? "OTHER" : "BASE"
    const token = variableName(`token of ${principal}`)
    const basics = [
      [`Basic of ${principal}`, `${textOf(clientId)}:${textOf(clientSecret)}`],
      [
        `Basic of ${principal}, form-encoded`,
        `"$(form_encoded ${textOf(clientId)}):$(form_encoded ${textOf(clientSecret)})"`
      ]
    ] as const
    return [
      ...(isNeeded(`token of ${principal}`) || isCleaning(principal)
        ? [
            `${token}=$(token_of ${textOf(clientId)} ${textOf(clientSecret)} "$${origin}")`,
            `[ -n "$${token}" ] || give_up 'there is no token for ${principal}'`
          ]
        : []),
      ...basics.flatMap(([name, pair]) => (isNeeded(name) ? [`${variableName(name)}=$(${base64Of(pair)})`] : []))
    ]
  })
  return [...clients, ...users]
}

const curlOptions = (profile: Profile): ReadonlyArray<string> => {
  const resolved = originsOf(profile).flatMap(([, origin]) => {
    const { hostname, port, protocol } = new URL(origin)
    const address = profile.resolve?.[hostname]
    const usual = protocol === "https:" ? "443" : "80"
    const host = address?.includes(":") === true ? `[${address}]` : address
    return address === undefined ? [] : [`--resolve ${quote(`${hostname}:${port || usual}:${host}`)}`]
  })
  return [...(profile.tls?.caFile === undefined ? [] : ['--cacert "$CA"']), ...new Set(resolved)]
}

/** The variables that are set before anything is asked; those of the environment that the script takes are checked. */
const settings = (profile: Profile, script: string): ReadonlyArray<string> => {
  const wanted = namesOf(profile).filter((name) => new RegExp(`"\\$${name}"|Bearer \\$${name}\\b`).test(script))
  const caFile = profile.tls?.caFile
  return [
    ...wanted.map((name) => `: "\${${name}:?has to hold what the profile takes from it}"`),
    ...originsOf(profile).map(([name, origin]) => `${name}=${quote(origin)}`),
    ...(caFile === undefined ? [] : ["# relative to the profile", `CA=\${CONF_CA_FILE:-${quote(caFile)}}`]),
    "RUN=r$$x$(date +%s)"
  ]
}

const about = ({ chain, report, rule }: Making): ReadonlyArray<string> => [
  "#!/bin/sh",
  comment(`${rule.id} (${Told.standing(rule)})`),
  comment(Told.inLine(rule.text)),
  comment(
    `As run ${report.header.run} of ${report.header.startedAt} found it at ${Told.inLine(report.header.target)}.`
  ),
  comment("Needs curl, and the environment variables that the profile names. What it makes it deletes again."),
  comment("Exit code: 1 what was found is there again; 0 all is as expected; 2 it cannot tell."),
  ...(raceOf(rule, chain) === undefined
    ? []
    : [comment("What overlapped in the run is sent at once here, some times over: that it goes well says nothing.")])
]

/**
 * A script that shows again what is wrong with a rule: the shortest chain of requests, with fresh resources of its own.
 * Undefined where nothing is wrong with it, what is wrong is in a delivery, or the report does not have its exchanges.
 */
export const reproOf = (report: Report, rule: RuleReport, profile: Profile): string | undefined => {
  if (!Told.isShownAgain(rule, report)) return undefined
  const chain = chainOf(rule, report.exchanges)
  if (chain.length === 0) return undefined
  const captured = capturedFrom(chain, profile)
  const making = { report, rule, profile, chain, captured, word: wordsOf(report, captured, profile) }
  const numbers = new Map(chain.map((exchange) => [exchange.number, exchange]))
  // what was called is what the script calls: there is nothing about it to look for in the answers
  const differences = Told.decisive(rule).flatMap((finding) =>
    finding.differences.filter(({ at }) => at !== callsPlace)
  )
  const race = raceOf(rule, chain)
  const checks = differences
    .filter(({ exchange }) => numbers.has(exchange))
    .map((one) => checkOf(one, numbers.get(one.exchange), making.word))
  const shown = stepsOf(making, race)
  const steps = [
    ...credentials(making),
    "",
    ...(race === undefined ? [...shown, ...checks] : attempted([...shown, raceCheck(race, making.word)])),
    "",
    ...(isApproximate(making)
      ? [
          `printf '\\n%s\\n' 'Something secret was sent that the report does not show; the script made it up.'`,
          "unsure=$((unsure + 1))"
        ]
      : []),
    '[ "$again" -eq 0 ] || exit 1',
    '[ "$unsure" -eq 0 ] || exit 2'
  ]
  const cleaning = cleanUp(making)
  const before = settings(profile, [cleaning, ...steps].join("\n"))
  const functions = reproFunctions(curlOptions(profile))
  return [...about(making), ...before, "", functions, "", cleaning, "", ...steps, ""].join("\n")
}

/** Every script of a report, by the path at which it is to be written. */
export const reprosOf = (report: Report, profile: Profile): ReadonlyMap<string, string> =>
  new Map(
    report.rules.flatMap((rule) => {
      const script = reproOf(report, rule, profile)
      return script === undefined ? [] : [[Told.reproPath(rule.id), script] as const]
    })
  )
