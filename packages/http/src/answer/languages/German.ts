import { consentFaults } from "@wcs/domain/answer/AnswerForm"
import { html } from "../../Html.ts"
import type { PageWords } from "../PageWords.ts"

/** What a detail must be. The rules say it in English. */
const must: Readonly<Record<string, string>> = {
  "": "Geben Sie mindestens einen Nachweis an",
  "holder.firstName": "ist zu lang oder hat Zeichen, die nicht erlaubt sind",
  "holder.lastName": "ist zu lang oder hat Zeichen, die nicht erlaubt sind",
  "holder.birthDate": "muss ein Tag sein, an dem Sie geboren sein können",
  identifier: "hat nicht die richtige Form",
  issueNumber: "hat nicht die richtige Form",
  issuingCountry: "muss aus zwei Großbuchstaben bestehen, zum Beispiel NZ",
  expiryDate: "muss ein Datum sein, zum Beispiel 2031-01-31"
}

const reasonOf = (path: string, reason: string): string => {
  if (path === "consent") {
    return reason === consentFaults.changed.reason
      ? "ist noch einmal nötig: Der Hinweis hat sich geändert, seit Sie ihn gelesen haben"
      : "ist nötig: Ohne Ihre Einwilligung wird nichts gespeichert"
  }
  return reason === "is required" ? "fehlt" : (must[path] ?? "ist nicht gültig")
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
      text: "Eine Datei darf höchstens 10 MB haben. Gehen Sie zurück und wählen Sie eine kleinere. Was Sie vorher eingegeben haben, ist noch da."
    },
    unreadable: { title: "Das war nicht verständlich", text: "Gehen Sie zurück und senden Sie es noch einmal." },
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
      text: "Gehen Sie zurück und versuchen Sie es später noch einmal. Geschieht es wieder, sagen Sie es der Organisation, die den Link geschickt hat."
    }
  },
  sendAgain: "Noch einmal senden",
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
      if (refusal._tag === "DocumentsFull") return "Es passen keine weiteren Dateien hinein."
      return refusal._tag === "InvalidArgument" && refusal.field === "card"
        ? "Sagen Sie, welchen Nachweis die Datei zeigt."
        : "Die Datei ist kein vollständiges PDF, JPEG, PNG oder HEIC, oder sie ist zu groß."
    }
  },
  summary: {
    title: "Ist alles richtig?",
    agreed: "Sie haben zugestimmt.",
    send: (organization) => `Senden an ${organization}`,
    change: "Etwas ändern"
  }
}
