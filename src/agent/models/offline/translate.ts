// Simple requests in German, Spanish and French, put into English word by word, so that everything after this knows one language. Names of
// files are marks by now and stay as they are, and so does every word that may be a name or what is searched for.

import { startsWithVerb, withoutManners } from "./message.ts";

type Vocabulary = readonly (readonly [english: string, foreign: string])[];

/** What a request begins with that names something: of such a line only these words, things and small words are translated. */
const NAMING: Vocabulary = [
  ["rename", "benenne|ändere den namen von|renombra|cambia el nombre de|renomme|change le nom de"],
  ["search for", "suchen?(?: nach)?|busca|buscar|cherche|chercher"],
  ["find", "finden?|encuentra|encontrar|trouve|trouver"],
  ["delete", "löschen?|entfernen?|borrar?|eliminar?|supprimer?|effacer?"],
  ["move", "verschieben?|mueve|déplacer?"],
  ["copy", "kopieren?|copia|copiar|copie"],
  ["create", "erstellen?|anlegen|lege|mache|crea|crear|haz|créer?|fais"],
  ["write", "(?:schreibe?|escribe|écris)(?= \ue000)"],
  ["append", "(?:füge|añade|agrega|ajoute)(?= \ue000)"],
  ["replace", "(?:ersetze|reemplaza|remplace)(?= \ue000)"],
];
const THINGS: Vocabulary = [
  ["folder", "ordner|verzeichnis|carpeta|directorio|dossier|répertoire"],
  ["files", "dateien|archivos|ficheros|fichiers"],
  ["file", "datei|archivo|fichero|fichier"],
  ["project", "projekts?|proyecto|projet|repositorio|dépôt"],
  ["called", "namens|llamad[ao]|appelée?"],
  ["if", "wenn|falls|sobald|bevor|nachdem|cuando|antes de|quand|lorsque|avant de"],
  ["all", "alle|todos los|todas las|tous les|toutes les"],
];
const LOOKING: Vocabulary = [
  ["explain this", "was ist das für ein(?= projekt)"],
  ["explain", "worum geht es (?:in|bei)|erzähle? mir (?:von|etwas über)|was (?:ist|macht)(?= (?:das|dieses|die|diese) )|fasse"],
  [
    "explain",
    "de qué (?:trata|va)|qué (?:es|hace)(?! \ue000)|de quoi (?:parle|s'agit-il dans)|que fait|c'est quoi|qu'est-ce que(?: c'est que)?",
  ],
  ["explain", "wozu (?:dient|ist)|wofür ist|para qué (?:sirve|es)|à quoi sert"],
  ["explain", "erkläre?(?: mir)?|beschreibe|explica(?:me)?|explícame|explique(?:-moi)?|résume|décris"],
  ["tell me", "(?:mir|uns) sagen|sage? (?:mir|uns)|dime|dinos|dis-moi"],
  ["we have", "wir haben"],
  ["who changed", "wer hat(?= \ue000)|quién (?:cambió|modificó)|qui a (?:modifié|changé)"],
  ["uncommitted changes", "(?:un|nicht )committe?te änderungen|cambios sin (?:commit|confirmar)|changements non (?:commités|validés)"],
  ["what changed recently", "was (?:hat sich|wurde) zuletzt geändert|qué (?:ha cambiado|cambió) (?:recientemente|últimamente)"],
  ["what changed", "was (?:habe ich|hat sich|wurde) geändert|qué (?:he|ha) cambiado|qu'est-ce qui a changé"],
  [
    "what branch am i on",
    "(?:auf|in) welchem branch (?:bin ich|sind wir)|en qué rama (?:estoy|estamos)|qué rama es esta|sur quelle branche (?:suis-je|sommes-nous)",
  ],
  ["who made the last commit", "wer hat den letzten commit gemacht|quién hizo el último commit|qui a fait le dernier commit"],
  ["last", "zuletzt geändert|por última vez|en dernier"],
  ["what is in", "was (?:steht|ist|liegt|gibt es) (?:in|im)|qu[eé] (?:dice|contiene|contient)|qu'y a-t-il dans"],
  [
    "show",
    "zeige?n?|lies|lese|lesen|anzeigen|öffnen?|lee(?= (?:\ue000|el|la|los|las))|leer|abre|abrir|muéstrame|muestra|mostrar|enséñame|dame",
  ],
  ["show", "lis|lire|ouvre|ouvrir|montre-moi|montrer?|afficher?|donne-moi"],
  ["list", "auflisten|liste|lista|listar|lister"],
  ["run", "führe?|ausführen|starten?|ejecuta|ejecutar|corre|correr|lance|lancer|exécuter?"],
  // "Lass die Tests laufen."
  ["run", "lass(?:t|e)?(?= .*laufen)"],
  ["", "laufen(?=[\\s.!?]*$)"],
  ["install", "installieren?|instala|instalar|installe"],
  ["build", "baue|bauen|kompilieren?|construye|compila|construis"],
  ["contents of", "inhalt(?: (?:von|der|des))?|contenido(?: de)?|contenu(?: de| du)?"],
  ["dependencies", "abhängigkeiten|dependencias|dépendances"],
  ["license", "lizenz|licencia"],
  ["version", "versión"],
  ["branches", "ramas"],
  ["tests", "pruebas"],
  ["function", "funktion|función|fonction"],
  ["recently", "zuletzt|recientemente|récemment"],
  ["last", "letzte[nrs]?|últimos?|derniers?|dernière"],
  ["defined", "definiert|definid[ao]|se define|définie?"],
  ["used", "benutzt|verwendet|se usa|utilisée?"],
  ["do we have", "haben wir|tenemos|avons-nous"],
  ["do we use", "(?:be)?nutzen wir|verwenden wir|usamos|utilisons-nous"],
  ["how many", "wie ?viele|cuánt[ao]s|combien de"],
  ["are there", "gibt es|gab es|y a-t-il"],
  ["what are", "wie (?:lauten|heißen)"],
  ["what", "welche[rns]?|qué|cuál(?:es)?|quel(?:le)?s?"],
  ["where", "wo|dónde|où"],
  ["is", "ist|está"],
  ["are", "sind|liegen|sont"],
];
/** Words that mean something else in English: with none of the others, a line is not in another language. */
const SMALL: Vocabulary = [
  ["", "bitte|por favor|s'il (?:te|vous) plaît|svp|mal"],
  ["can you", "kannst du|könntest du|puedes|podrías|peux-tu|pouvez-vous"],
  ["because", "weil|damit|porque|parce que|para (?:ver|saber)|pour (?:voir|savoir)"],
  ["the", "die|der|das|den|dem|el|la|los|las|le|les"],
  ["a", "ein|eine|einen|un|una|une"],
  ["what", "was|que"],
  ["is", "es|est|wird"],
  ["are", "son"],
  ["are there", "hay"],
  ["has", "hat|tiene"],
  ["me", "mir|uns"],
  ["here", "hier|aquí|ici"],
  ["this", "diese[mrs]?|este|ce"],
  ["new", "neue[nrs]?|nuev[ao]|nouveau|nouvelle"],
  ["to", "nach|vers|à|zu|a"],
  ["with", "durch|por|par"],
  ["in the", "im"],
  ["in", "en|dans"],
  ["of", "von|de|del|du|aus"],
  ["and", "und|y|et"],
  ["but", "aber|pero|mais"],
  ["then", "dann|danach|luego|después|puis|ensuite"],
  ["if", "si"],
];

/** The words of a vocabulary, each row a group of its own. */
const wordsOf = (rows: Vocabulary): RegExp =>
  new RegExp(`(?<![\\p{L}'-])(?:${rows.map(([, foreign]) => `(${foreign})`).join("|")})(?![\\p{L}'])`, "giu");
const NAMES = wordsOf(NAMING);
const FOREIGN = wordsOf([...NAMING, ...THINGS, ...LOOKING]);
const FEW: Vocabulary = [...NAMING, ...THINGS, ...SMALL];
const ALL: Vocabulary = [...NAMING, ...THINGS, ...LOOKING, ...SMALL];
const [FEW_WORDS, ALL_WORDS] = [wordsOf(FEW), wordsOf(ALL)];

/** A line in English; as it is where it is in English already. */
export function english(line: string): string {
  const isEnglish = startsWithVerb(withoutManners(line)) && !/change le nom/i.test(line);
  if (isEnglish || line.search(FOREIGN) === -1) return line;
  const [rows, words] = line.search(NAMES) === -1 ? [ALL, ALL_WORDS] : [FEW, FEW_WORDS];
  // What a file is to hold stands behind its name.
  const [, head = line, rest = ""] = /^(\s*(?:bitte )?(?:erstelle|crea|crée) [^\ue000]*\ue000\d+\ue001)(.*)$/iu.exec(line) ?? [];
  const translated = head
    .replace(/ (?:aus|auf|an|vor|um|hinzu|zusammen)(?=[\s.!?]*$)/i, "")
    .replaceAll(words, (...match: unknown[]) => rows[match.slice(1).findIndex((one) => one !== undefined)]?.[0] ?? "")
    .replaceAll(/ {2,}/g, " ")
    // A German infinitive stands at the end.
    .replace(/^((?:can you )?)(.+) (show|list|run|delete|create|find|search for|copy|move|install)([.!?]*)$/i, "$1$3 $2$4")
    .replace(/^( ?(?:rename|move|copy) .+?) in /i, "$1 to ");
  return translated + rest;
}
