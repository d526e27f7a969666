/** Whether a text fits a pattern of SSH: `*` for any characters, `?` for one (ssh_config(5), PATTERNS). */
export function fitsPattern(text: string, pattern: string): boolean {
  let [atText, atPattern, star, starText] = [0, 0, -1, 0];
  while (atText < text.length) {
    const wanted = pattern[atPattern];
    if (wanted === '*') {
      star = atPattern;
      starText = atText;
      atPattern += 1;
    } else if (wanted === '?' || (wanted !== undefined && wanted === text[atText])) {
      atText += 1;
      atPattern += 1;
    } else if (star !== -1) {
      starText += 1;
      atText = starText;
      atPattern = star + 1;
    } else {
      return false;
    }
  }
  return /^\**$/.test(pattern.slice(atPattern));
}

/** Whether a text fits a list of patterns with commas between them; one with `!` that fits refuses it, wherever it stands. */
export function fitsPatternList(text: string, list: string): boolean {
  let fits = false;
  for (const pattern of list.split(',')) {
    const isNegative = pattern.startsWith('!');
    if (!fitsPattern(text, isNegative ? pattern.slice(1) : pattern)) continue;
    if (isNegative) return false;
    fits = true;
  }
  return fits;
}
