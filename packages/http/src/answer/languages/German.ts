import { consentFaults } from "@wcs/domain/answer/AnswerForm"
import { html } from "../../Html.ts"
import type { PageWords } from "../PageWords.ts"

/** The reasons of the rules, which are in English. A test has every reason that a form can get. */
const reasons: ReadonlyArray<readonly [english: RegExp, german: string]> = [
  [/^is required$/, "fehlt"],
  [/^must have at most (\d+) characters$/, "darf höchstens $1 Zeichen haben"],
  [/^must not contain control characters$|^must be well-formed/, "hat Zeichen, die nicht erlaubt sind"],
  [/^must not be in the future$/, "darf nicht in der Zukunft liegen"],
  [/^must not be before (\d{4})-(\d\d)-(\d\d)$/, "darf nicht vor dem $3.$2.$1 liegen"],
  [/^must be a date that exists, .*$/, "muss ein Datum sein, das es gibt, zum Beispiel 2031-01-31"],
  [/^must be two capital letters.*$/, "muss aus zwei Großbuchstaben bestehen, zum Beispiel NZ"],
  [/^must be WWC .*$/, "muss WWC mit 7 Ziffern und E oder V am Ende sein, oder APP mit 6 bis 10 Ziffern"],
  [/^must be 3 capital letters.*$/, "muss aus 3 Großbuchstaben und dann 10 Ziffern bestehen"]
]

/** Why a file was refused, by the words of the rules. */
const fileReasons: ReadonlyArray<readonly [english: RegExp, german: string]> = [
  [/^is empty$/, "Die Datei ist leer."],
  [/^must be a PDF/, "Die Datei muss ein PDF, JPEG, PNG oder HEIC sein. Der Inhalt zählt, nicht der Name."],
  [/^is no whole/, "Die Datei ist nicht vollständig. Speichern Sie sie noch einmal und fügen Sie sie dann hinzu."],
  [/^is also a ZIP/, "Die Datei ist zugleich eine ZIP-Datei. Speichern Sie sie noch einmal als einfache Datei."],
  [/million pixels$/, "Das Bild hat zu viele Pixel. Machen Sie ein kleineres Foto."],
  [/ bytes$/, "Die Datei ist größer als 10 MB."]
]

const notStored = "Die Datei kann nicht gespeichert werden. Sagen Sie es der Organisation."

const reasonOf = (path: string, reason: string): string => {
  if (path === "consent") {
    return reason === consentFaults.changed.reason
      ? "ist noch einmal nötig: Der Hinweis hat sich geändert, seit Sie ihn gelesen haben"
      : "ist nötig: Ohne Ihre Einwilligung wird nichts gespeichert"
  }
  if (path === "") return "Geben Sie mindestens einen Nachweis an"
  const [english = /^.*$/, german = "ist nicht gültig"] = reasons.find(([form]) => form.test(reason)) ?? []
  return reason.replace(english, german)
}

export const german: PageWords = {
  language: "de",
  dates: "de-DE",
  noLink: {
    title: "Dieser Link ist nicht gültig",
    text: "Der Link ist unvollständig oder abgelaufen. Bitten Sie die Organisation, die ihn geschickt hat, um einen neuen."
  },
  left: {
    title: "Sie haben diese Seite verlassen",
    text: "Dieses Gerät zeigt nicht mehr, was Sie eingegeben haben. Öffnen Sie den Link erneut, um weiterzumachen: Er fragt dann nach einem Code."
  },
  unread: {
    tooLarge: {
      title: "Das war zu groß",
      text: "Eine Datei darf höchstens 10 MB haben. Öffnen Sie die Seite erneut und wählen Sie eine kleinere. Was Sie gesendet haben, ist noch da."
    },
    unreadable: {
      title: "Das war nicht verständlich",
      text: "Öffnen Sie die Seite erneut und senden Sie es noch einmal."
    },
    tooMany: {
      title: "Zu viele Anfragen",
      text: "Warten Sie eine Minute. Senden Sie es dann noch einmal oder öffnen Sie den Link erneut."
    },
    unavailable: {
      title: "Bitte warten Sie einen Moment",
      text: "Es wurde nichts gespeichert. Senden Sie es in einer Minute noch einmal oder öffnen Sie den Link erneut."
    },
    failed: {
      title: "Etwas ist schiefgegangen",
      text: "Öffnen Sie die Seite später erneut. Geschieht es wieder, sagen Sie es der Organisation, die den Link geschickt hat."
    }
  },
  sendAgain: "Noch einmal senden",
  openAgain: "Die Seite erneut öffnen",
  asking: {
    title: "Angaben zu Ihren Nachweisen",
    asks: (organization) => html`${organization} bittet Sie um Angaben zu:`,
    until: (day) => `Sie können bis ${day} antworten.`,
    effort: "Es dauert etwa zwei Minuten. Halten Sie Ihren Nachweis bereit.",
    firstDevice: "Der Link funktioniert dann nur auf diesem Gerät. Auf einem anderen Gerät fragt er nach einem Code.",
    begin: "Beginnen",
    choose: "Füllen Sie die Nachweise aus, die Sie haben. Lassen Sie die anderen leer.",
    you: "Sie",
    check: "Prüfen und weiter",
    correct: "Ansehen oder berichtigen, was Sie gesendet haben",
    shared: "Benutzen andere dieses Gerät? Verlassen Sie diese Seite, wenn Sie fertig sind.",
    leave: "Ich bin auf diesem Gerät fertig"
  },
  code: {
    title: "Geben Sie einen Code ein",
    wrong: "Der Code ist falsch oder abgelaufen.",
    other: (
      organization
    ) => html`Dieser Link von ${organization} wurde schon auf einem anderen Gerät geöffnet. Wenn Sie das nicht
waren, sagen Sie es der Organisation. Nachdem Sie den Code eingegeben haben, funktioniert der Link nur auf diesem Gerät.`,
    sent: "Wenn ein Code gesendet werden konnte, steht er in einer zweiten Nachricht an Sie. Er gilt 15 Minuten.",
    label: "Code",
    go: "Weiter",
    send: "Code senden",
    another: "Neuen Code senden"
  },
  labels: {
    "holder.firstName": "Vorname, wie auf dem Nachweis",
    "holder.lastName": "Familienname, wie auf dem Nachweis",
    "holder.birthDate": "Geburtsdatum",
    identifier: "Nummer des Nachweises",
    issueNumber: "Ausgabenummer",
    issuingCountry: "Land der Ausstellung",
    expiryDate: "Letzter Gültigkeitstag auf dem Nachweis"
  },
  ifShown: "falls auf dem Nachweis angegeben",
  country: "zwei Großbuchstaben, zum Beispiel NZ",
  consentTitle: "Wie Ihre Angaben verwendet werden",
  reason: reasonOf,
  beside: (reason) => `Diese Angabe ${reason}.`,
  faults: { title: "Bitte sehen Sie sich das an:", consent: "Ihre Einwilligung" },
  stands: {
    waiting: (organization) =>
      `Ihre Antwort wurde gesendet. ${organization} sieht sie sich an. Bis dahin können Sie sie hier berichtigen.`,
    approving: (organization) => `${organization} übernimmt gerade Ihre Antwort.`,
    approved: (organization) => `${organization} hat Ihre Antwort angenommen. Sie müssen nichts mehr tun.`,
    rejected: (organization, reason) => `${organization} konnte Ihre Antwort nicht annehmen: ${reason}`,
    closed: (organization) =>
      `Das wurde nicht gespeichert: ${organization} entscheidet gerade über Ihre Antwort. Versuchen Sie es in einer Minute noch einmal.`
  },
  ended: {
    title: "Diese Anfrage ist beendet",
    text: (organization) => `${organization} bittet Sie hier um nichts mehr.`
  },
  files: {
    title: "Fotos und Scans",
    card: "Welchen Nachweis zeigt die Datei?",
    chooseCard: "Wählen Sie einen Nachweis",
    label: "Foto oder Scan eines Nachweises hinzufügen (PDF, JPEG, PNG oder HEIC, höchstens 10 MB)",
    add: "Datei hinzufügen",
    refused: "Die Datei wurde nicht hinzugefügt",
    none: "Wählen Sie zuerst eine Datei.",
    closed:
      "Die Organisation hat über Ihre Antwort entschieden oder entscheidet gerade. Darum kann keine Datei dazukommen.",
    remove: "Zurücknehmen",
    back: "Zurück",
    reason: (refusal) => {
      if (refusal._tag === "DocumentsFull" && refusal.limit === "record")
        return "Es passen keine weiteren Dateien hinein. Nehmen Sie zuerst eine zurück."
      if (refusal._tag !== "InvalidArgument") return notStored
      if (refusal.field === "card") return "Sagen Sie, welchen Nachweis die Datei zeigt."
      return fileReasons.find(([form]) => form.test(refusal.reason))?.[1] ?? notStored
    }
  },
  summary: {
    title: "Ist alles richtig?",
    agreed: "Sie haben zugestimmt.",
    send: (organization) => `Senden an ${organization}`,
    change: "Etwas ändern"
  }
}
