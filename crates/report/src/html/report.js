'use strict';
const D = JSON.parse(document.getElementById('report').textContent);
const $ = (q, e = document) => e.querySelector(q), $$ = (q, e = document) => [...e.querySelectorAll(q)];
const esc = s => String(s).replace(/[&<>"]/g, c => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }[c]));
const plural = (n, w) => n + ' ' + w + (n === 1 ? '' : 's');
const secs = s => s < 0.01 ? '<0.01 s' : s < 10 ? s.toFixed(2) + ' s' : s.toFixed(1) + ' s';
const ICON = { proved: '<path d="M3 8.5l3.2 3.2L13 4.8" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/>', violated: '<path d="M4 4l8 8M12 4l-8 8" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round"/>', open: '<circle cx="8" cy="8" r="5.5" fill="none" stroke="currentColor" stroke-width="1.8" stroke-dasharray="2.6 2"/>' };
const icon = (s, cls = '') => `<svg class="${cls}" viewBox="0 0 16 16" aria-hidden="true">${ICON[s]}</svg>`;
const status = s => `<span class="st ${s}">${icon(s)}${s}</span>`;
const col = t => `--c:var(--t${t % 12})`;
const fileText = p => (D.program.files.find(f => f.path === p) || { text: '' }).text.replace(/\n$/, '').split('\n');
const objOf = n => D.objects.find(o => o.name === n);
const isShared = n => { const o = objOf(n); return !!o && o.kind === 'variable'; };
function hl(s) {
  const m = s.match(/^(.*?)(\/\/.*)?$/);
  return esc(m[1]).replace(/(&quot;.*?&quot;)|(#\w+)|\b(int|long|void|static|for|do|while|if|else|return|struct|char|unsigned|sizeof)\b/g, (x, a, b, c) => c || b ? `<span class="k">${x}</span>` : x) + (m[2] ? `<span class="c">${esc(m[2])}</span>` : '');
}

/* ---- theme ---- */
const store = { get: k => { try { return localStorage.getItem(k) } catch { return null } }, set: (k, v) => { try { v ? localStorage.setItem(k, v) : localStorage.removeItem(k) } catch { } } };
const mq = matchMedia('(prefers-color-scheme: dark)');
let theme = store.get('threadproof-theme') || 'auto';
function applyTheme() { document.documentElement.dataset.theme = theme === 'auto' ? (mq.matches ? 'dark' : 'light') : theme; const b = $('#theme'); if (b) b.textContent = 'Theme: ' + theme; if (V) V.drawMini(); }
mq.addEventListener('change', applyTheme);
function nextTheme() { theme = { auto: 'dark', dark: 'light', light: 'auto' }[theme]; store.set('threadproof-theme', theme === 'auto' ? null : theme); applyTheme(); }

/* ---- top bar and routes ---- */
let V = null; // the open finding view
function drawTop(cur) {
  const tab = (h, label, st) => `<a href="#${h}" ${cur === h ? 'aria-current="page"' : ''}>${st ? `<span class="st ${st}" >${icon(st)}<span class="sr">${st}: </span></span>` : ''}${esc(label)}</a>`;
  $('#top').innerHTML = `<div class="brand"><b>threadproof</b><span class="mono">${esc(D.program.name)}</span></div>
  <nav aria-label="Views">${tab('overview', 'Overview')}${D.findings.map(f => tab(f.id, f.title, 'violated')).join('')}${D.proofs.map(p => tab(p.id, p.title, 'proved')).join('')}</nav>
  <div class="tools"><button id="theme" aria-label="Colour theme" title="Colour theme"></button><button id="hb" aria-label="Keyboard help">?</button></div>`;
  $('#theme').onclick = nextTheme; $('#hb').onclick = help; applyTheme();
  const c = $('nav [aria-current]'); if (c) c.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}
function route() {
  const [id, n] = (location.hash.slice(1) || 'overview').split('/');
  const f = D.findings.find(x => x.id === id), p = D.proofs.find(x => x.id === id);
  if (f && V && V.f === f) { if (n) V.select(+n - 1, true); return; }
  if (V) V.destroy(); V = null;
  drawTop(f || p ? id : 'overview');
  const m = $('#main'); m.className = '';
  if (f) V = new Finding(f, m, n); else if (p) drawProof(p, m); else drawOverview(m);
  document.title = (f ? f.title + ' – ' : p ? 'Proof – ' : '') + D.program.name + ' – threadproof';
}
addEventListener('hashchange', route);

/* ---- overview ---- */
function drawOverview(m) {
  const by = s => D.checks.filter(c => c.status === s).length;
  m.innerHTML = `<div class="doc" tabindex="-1"><div>
  <div class="verdict">${icon(D.verdict.status, D.verdict.status)}<div><h1>${esc(D.verdict.text)}</h1>
    <p class="meta"><span>${plural(by('violated'), 'check')} violated</span><span>${by('proved')} proved</span><span>${by('open')} open</span><span class="num">${secs(D.summary.seconds)}, ${D.summary.peak_mb} MB</span></p></div></div>
  <section class="sec" style="margin-top:0"><h2>Checks</h2><table class="checks"><thead><tr><th>Status</th><th>Property</th><th>Proved</th><th>Engine</th><th class="r">Time</th><th>Evidence</th></tr></thead><tbody>
  ${D.checks.map(c => `<tr><td>${status(c.status)}</td><td><b>${esc(c.title)}</b> <code class="dim">${esc(c.property)}</code><div class="what">${esc(c.detail)}</div></td>
    <td class="num">${!c.counts ? '' : `${c.counts.proved} of ${plural(c.counts.total, 'location')}<div class="bar" aria-hidden="true"><i class="p" style="flex:${c.counts.proved}"></i><i class="v" style="flex:${c.counts.violated}"></i><i class="o" style="flex:${c.counts.open}"></i></div>`}</td><td>${esc(c.engine)}</td><td class="r num">${secs(c.seconds)}</td>
    <td>${c.evidence && c.evidence.finding ? `<a href="#${c.evidence.finding}">Execution</a>` : c.evidence ? `<a href="#${c.evidence.proof}">Proof</a>` : '<span class="dim">none</span>'}</td></tr>`).join('')}
  </tbody></table></section>
  ${!D.findings.length ? '' : `<section class="sec"><h2>Findings</h2><div class="cards">${D.findings.map((f, i) => `<a class="card" href="#${f.id}"><span class="n num">${i + 1}</span><div><h3>${esc(f.title)}</h3><p>${esc(f.summary)}</p></div><div class="aside"><code>${esc(f.at.file.split('/').pop())}:${f.at.line}</code><br>${plural(f.threads.length, 'thread')}, ${plural(f.steps.length, 'step')}<br>replayed</div></a>`).join('')}</div></section>`}
  ${!D.proofs.length ? '' : `<section class="sec"><h2>Proofs</h2><div class="cards">${D.proofs.map(p => `<a class="card" href="#${p.id}"><span class="st proved">${icon('proved')}</span><div><h3>${esc(p.title)}</h3><p>${esc(p.summary)}</p></div><div class="aside">${p.notes.length ? plural(p.notes.length, 'note') + '<br>' : ''}checked</div></a>`).join('')}</div></section>`}
  <section class="sec"><h2>How this was run</h2><code class="cmd">${esc(D.command)}</code><p class="dim" style="margin-top:8px">${esc(D.tool.name)} ${esc(D.tool.version)}. Memory and data model: ${esc(D.program.model)}.</p>${D.assumptions.length ? `<h3 class="assumed">Taken for granted</h3><ul class="assumed">${D.assumptions.map(a => `<li>${esc(a)}</li>`).join('')}</ul>` : ''}</section>
  </div></div>`;
}

/* ---- proof ---- */
function drawProof(p, m) {
  m.className = 'proof';
  const word = { always: 'always', case: 'case' };
  const note = (x, many) => `<div class="${x.kind}"><em>${word[x.kind]}</em><span>${many ? `<span class="who">${esc(x.thread)}</span> ` : ''}<span class="mono">${esc(x.text)}</span>${x.when ? ` <span class="when">while ${esc(x.when)}</span>` : ''}</span></div>`;
  const source = file => {
    const lines = fileText(file), of = {}; for (const x of p.notes) if (x.file === file) (of[x.line] = of[x.line] || []).push(x);
    const many = new Set(p.notes.map(x => x.thread)).size > 1;
    return `<h3 class="mono dim fname">${esc(file)}</h3><div class="ps" role="table" aria-label="${esc(file)} with what holds">${lines.map((s, i) => `<div class="pl ${of[i + 1] ? 'has' : ''}" role="row"><span class="lno" role="cell">${i + 1}</span><pre role="cell">${hl(s) || ' '}</pre><div class="inv" role="cell">${(of[i + 1] || []).map(x => note(x, many)).join('')}</div></div>`).join('')}</div>`;
  };
  m.innerHTML = `<div class="doc" tabindex="-1"><div><h1>${esc(p.title)}</h1><p class="dim" style="max-width:80ch;margin-top:6px">${esc(p.summary)}</p>
  ${p.protections.length ? `<section class="sec"><h2>What protects shared memory</h2><table class="prot"><thead><tr><th>Memory</th><th>Reasons, with the number of pairs of accesses</th><th>Status</th></tr></thead><tbody>${p.protections.map(x => `<tr><td>${esc(x.object)}</td><td>${esc(x.text)}</td><td>${status(x.status)}</td></tr>`).join('')}</tbody></table></section>` : ''}
  ${p.files.length ? `<section class="sec"><h2>What holds at each line</h2>${p.files.map(source).join('')}</section>` : ''}</div></div>`;
}

/* ---- what a step does, in words ---- */
function effect(f, e, html = true) {
  const n = s => html ? `<b>${esc(s)}</b>` : s, u = s => html ? `<u>${s}</u>` : s, th = t => f.threads[t].name;
  switch (e.kind) {
    case 'read': return u('reads ') + n(short(e.object)) + ' = ' + esc(e.value);
    case 'write': return n(short(e.object)) + ' = ' + esc(e.value);
    case 'lock': case 'unlock': return e.object ? u(esc(e.text.slice(0, -e.object.length))) + n(e.object) : esc(e.text);
    case 'wait': return u('waits for ') + n(e.object || th(e.thread));
    case 'start': return u('starts ') + n(th(e.thread));
    case 'join': return u('joins ') + n(th(e.thread));
    case 'call': return u('calls ') + n(e.text || e.function);
    case 'end': return u('ends');
    default: return esc(e.text || e.kind);
  }
}
const short = o => objOf(o) ? o : o.slice(o.indexOf('.') + 1);

/* ---- finding ---- */
class Finding {
  constructor(f, m, n) {
    this.f = f; this.n = f.threads.length; this.cur = 0; this.row = 0; this.open = new Set(); this.off = new Set(); this.vars = new Set(); this.text = '';
    this.lines = {}; for (const s of f.steps) if (!this.lines[s.file]) this.lines[s.file] = fileText(s.file);
    this.key = new Set(); if (f.race) f.race.accesses.forEach(a => this.key.add(a.step - 1)); if (f.deadlock) f.deadlock.waits.forEach(w => this.key.add(w.step - 1));
    // life of each thread and lock slots
    this.life = f.threads.map(() => [Infinity, f.steps.length]); this.count = f.threads.map(() => 0); this.life[0][0] = 0;
    f.steps.forEach((s, i) => { this.count[s.thread]++; for (const e of s.events) { if (e.kind === 'start') this.life[e.thread][0] = i; if (e.kind === 'end') this.life[s.thread][1] = i; } });
    const held = f.threads.map(() => []), waits = f.threads.map(() => null); this.heldAt = []; this.waitAt = [];
    f.steps.forEach((s, i) => { held[s.thread] = s.held; const w = s.events.find(e => e.kind === 'wait'); waits[s.thread] = w || null; this.heldAt.push(held.slice()); this.waitAt.push(waits.slice()); });
    this.lockIds = {}; D.objects.filter(o => o.kind === 'lock').forEach((o, i) => this.lockIds[o.name] = i);
    this.shared = D.objects.filter(o => o.kind === 'variable' && f.steps.some(s => s.events.some(e => e.object === o.name))).map(o => o.name);
    this.dom(m); this.layout();
    const start = n ? +n - 1 : f.race ? f.race.accesses[0].step - 1 : f.steps.length - 1;
    this.select(start, true, true);
  }
  dom(m) {
    const f = this.f;
    m.innerHTML = `<div class="find"><div class="fh"><div><h1>${esc(f.title)}</h1><p>${esc(f.summary)}</p></div>
    <div class="chips" role="group" aria-label="Filters"><div class="grp"><span>Threads</span>${f.threads.map((t, i) => `<button class="chip th" aria-pressed="true" data-t="${i}" style="${col(i)}"><i></i><b>T${i}</b>${esc(t.name)}</button>`).join('')}</div>
    <div class="grp"><span>Variables</span>${this.shared.map(v => `<button class="chip var mono" aria-pressed="false" data-v="${esc(v)}">${esc(v)}</button>`).join('')}<input class="filt" placeholder="filter  /" aria-label="Filter by variable name" spellcheck="false"></div>
    <div class="grp"><button class="btn" data-a="all">Open all folds</button><button class="btn" data-a="clear" hidden>Clear filters</button><span class="shown num" aria-live="polite"></span></div></div></div>
    <div class="panes"><section class="lanes" aria-label="Execution"><div class="lh" aria-hidden="true"></div><div class="lb"><div class="scroll" tabindex="0" role="listbox" aria-label="Steps, time downwards. j and k move, bracket keys jump to context switches"><div class="inner"></div></div><div class="mini" aria-hidden="true" title="Whole execution"><canvas></canvas><i></i></div></div></section>
    <section class="side"><div class="tabs" role="tablist">${f.deadlock ? '<button role="tab" data-p="graph">Wait-for</button>' : ''}<button role="tab" data-p="src">Source</button><button role="tab" data-p="val">Values</button></div>
    ${f.deadlock ? `<section class="pane p-graph" aria-label="Wait-for graph"><h2>Wait-for graph <span class="dim">who waits for whom</span></h2><div class="body graph">${this.graph()}</div></section>` : ''}
    <section class="pane p-src" aria-label="Source"><h2>Source <span class="dim mono" id="sfile"></span></h2><div class="body" tabindex="0"><div class="src"></div></div></section>
    <section class="pane p-val" aria-label="Values"><h2>Values <span class="dim" id="vcap"></span></h2><div class="body" tabindex="0" id="vals"></div></section></section></div>
    <div class="keys"><span><kbd>j</kbd> <kbd>k</kbd> step</span><span><kbd>[</kbd> <kbd>]</kbd> context switch</span><span><kbd>f</kbd> fold</span><span><kbd>/</kbd> filter</span><span><kbd>?</kbd> all keys</span></div></div>`;
    this.el = { scroll: $('.scroll'), inner: $('.inner'), head: $('.lh'), src: $('.src'), vals: $('#vals'), mini: $('.mini'), filt: $('.filt') };
    this.el.scroll.addEventListener('scroll', () => { if (!this.raf) this.raf = requestAnimationFrame(() => { this.raf = 0; this.paint(); }); }, { passive: true });
    this.ro = new ResizeObserver(() => { this.layout(); this.select(this.cur, true, true); this.drawMini(); }); this.ro.observe(this.el.scroll);
    $$('.chip.th').forEach(b => b.onclick = () => { const t = +b.dataset.t; this.off.has(t) ? this.off.delete(t) : this.off.add(t); b.setAttribute('aria-pressed', !this.off.has(t)); this.refilter(); });
    $$('.chip.var').forEach(b => b.onclick = () => { const v = b.dataset.v; this.vars.has(v) ? this.vars.delete(v) : this.vars.add(v); b.setAttribute('aria-pressed', this.vars.has(v)); this.refilter(); });
    this.el.filt.oninput = () => { this.text = this.el.filt.value.trim().toLowerCase(); this.refilter(); };
    $('[data-a=all]').onclick = () => this.foldAll(); $('[data-a=clear]').onclick = () => this.clear();
    this.el.inner.onclick = e => { const b = e.target.closest('[data-i],[data-f]'); if (!b) return; if (b.dataset.f) { this.toggle(+b.dataset.f); } else this.select(+b.dataset.i); this.el.scroll.focus({ preventScroll: true }); };
    this.el.inner.onmousemove = e => this.tip(e); this.el.inner.onmouseleave = () => $('#tip').style.display = 'none';
    this.el.mini.onpointerdown = e => { const go = ev => { const r = this.el.mini.getBoundingClientRect(), i = Math.max(0, Math.min(this.f.steps.length - 1, Math.round((ev.clientY - r.top) / Math.min(r.height, this.f.steps.length * 6) * this.f.steps.length))); this.select(i, true, true); }; go(e); this.el.mini.onpointermove = ev => ev.buttons && go(ev); };
    $$('.tabs button').forEach(b => b.onclick = () => this.tab(b.dataset.p)); this.tab(f.deadlock ? 'graph' : 'src');
    $$('.graph g[data-i]').forEach(g => { g.onclick = () => this.select(+g.dataset.i, true); g.onkeydown = e => { if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); g.onclick(); } }; });
    this.file = null;
  }
  destroy() { this.ro.disconnect(); $('#tip').style.display = 'none'; }
  tab(p) { $$('.tabs button').forEach(b => b.setAttribute('aria-selected', b.dataset.p === p)); $$('.side .pane').forEach(x => x.classList.toggle('on', x.classList.contains('p-' + p))); if (p === 'src') this.drawSource(); }
  filtered() { return this.off.size || this.vars.size || this.text; }
  wants(s, i) {
    if (this.off.has(s.thread)) return false;
    if (this.vars.size || this.text) return s.events.some(e => e.object && (this.vars.has(e.object) || (this.text && e.object.toLowerCase().includes(this.text))));
    return s.visible !== false || this.key.has(i);
  }
  clear() { this.off.clear(); this.vars.clear(); this.text = this.el.filt.value = ''; $$('.chip.th').forEach(b => b.setAttribute('aria-pressed', true)); $$('.chip.var').forEach(b => b.setAttribute('aria-pressed', false)); this.refilter(); }
  refilter() { this.open.clear(); this.layout(); this.select(this.cur, true, true); }
  foldAll() { const folds = this.rows.filter(r => r.type === 'fold'); if (folds.some(r => !r.open)) folds.forEach(r => this.open.add(r.i)); else this.open.clear(); this.layout(); this.select(this.cur, true); }
  toggle(i) { this.open.has(i) ? this.open.delete(i) : this.open.add(i); this.layout(); const r = this.rows.find(r => r.type === 'fold' && r.i === i); this.select(r && !r.open ? r.j : i, true); }

  /* rows: everything has a known height, so only the visible part is in the DOM */
  layout() {
    const f = this.f, W = this.printW || this.el.scroll.clientWidth, G = 42; this.W = W;
    const offs = this.off.size < this.n ? this.off.size : 0, cw = (W - G - 4 - offs * 22) / (this.n - offs), xs = []; let cx = G + 14; for (let t = 0; t < this.n; t++) { xs.push(cx); cx += offs && this.off.has(t) ? 22 : cw; } this.rails = cw < 138; this.wrap = !this.rails && cw < 215; this.narrow = W < 560; this.R = this.narrow ? Math.max(8, Math.min(14, (W * .3) / this.n)) : 17;
    this.X = t => this.rails ? G + 9 + t * this.R : xs[t]; this.CX = t => this.rails ? G + 14 + this.n * this.R : this.X(t) + 9; this.CW = t => this.rails ? W - this.CX(0) - 6 : cw - 26;
    const SH = this.rails && !this.narrow ? 30 : 42, rows = []; let y = 6, prev = null;
    const push = (r, h) => { r.y = y; r.h = h; r.k = rows.length; rows.push(r); y += h; };
    const sw = t => { if (prev !== null && prev !== t) push({ type: 'switch', a: prev, b: t }, this.rails ? 16 : 22); };
    const pair = f.race ? f.race.accesses.map(a => a.step - 1) : []; const S = f.steps;
    for (let i = 0; i < S.length;) {
      if (pair.length && i === Math.min(...pair) && pair[1] === pair[0] + 1) { push({ type: 'race', i, j: i + 1, stops: [i, i + 1] }, 122); prev = null; i += 2; continue; }
      if (!this.wants(S[i], i)) {
        let j = i; while (j + 1 < S.length && !this.wants(S[j + 1], j + 1) && !pair.includes(j + 1)) j++;
        const segs = []; for (let k = i; k <= j; k++) { const l = segs[segs.length - 1]; if (l && S[l[0]].thread === S[k].thread) l[1] = k; else segs.push([k, k]); }
        const runs = this.filtered() || segs.length > 3 ? [[i, j]] : segs; // a few switches stay visible, many fold into one row
        for (const [a, b] of runs) {
          if (a === b && !this.filtered()) { sw(S[a].thread); push({ type: 'step', i: a, minor: true, stops: [a] }, SH); prev = S[a].thread; continue; }
          const ts = [...new Set(S.slice(a, b + 1).map(s => s.thread))], op = this.open.has(a);
          sw(S[a].thread); push({ type: 'fold', i: a, j: b, ts, open: op, stops: op ? [] : [b] }, 28); prev = S[a].thread;
          if (op) for (let k = a; k <= b; k++) { sw(S[k].thread); push({ type: 'step', i: k, minor: true, fold: a, stops: [k] }, SH); prev = S[k].thread; }
          prev = S[b].thread;
        }
        i = j + 1; continue;
      }
      sw(S[i].thread); push({ type: 'step', i, stops: [i] }, SH); prev = S[i].thread; i++;
    }
    push({ type: 'end' }, 30 + 20 * f.ending.reduce((n, l) => n + 1 + Math.floor(l.length * 7.6 / Math.max(120, W - 70)), 0)); this.rows = rows; this.H = y + 8; this.el.inner.style.height = this.H + 'px';
    this.rowOf = new Array(S.length); for (const r of rows) { if (r.type === 'fold' && !r.open) for (let k = r.i; k <= r.j; k++) this.rowOf[k] = r.k; if (r.type === 'step') this.rowOf[r.i] = r.k; if (r.type === 'race') { this.rowOf[r.i] = this.rowOf[r.j] = r.k; } }
    this.el.head.innerHTML = f.threads.map((t, i) => `<span style="${col(i)};color:var(--c);left:${this.rails ? this.X(i) - this.R / 2 : this.X(i) - 5}px;${this.rails ? `width:${this.R}px;text-align:center;font-size:10.5px;overflow:visible;display:flex;justify-content:center;${this.R < 12 ? `line-height:12px;top:${i % 2 ? 15 : 3}px` : ''}` : `width:${offs && this.off.has(i) ? 20 : cw - 12}px`}">${this.rails ? `<b style="font-size:inherit">${i}</b>` : `<b>T${i}</b>${this.off.has(i) ? '' : ' ' + esc(t.name)}`}</span>`).join('') + `<span style="left:0;width:38px;text-align:right;font-weight:400;font-size:11px;line-height:18px;color:var(--ink3)">${this.rails ? 'thread' : 'step'}</span>`;
    const b = $('[data-a=all]'), closed = rows.some(r => r.type === 'fold' && !r.open); b.textContent = closed ? 'Open all folds' : 'Close all folds'; b.disabled = !rows.some(r => r.type === 'fold');
    $('[data-a=clear]').hidden = !this.filtered(); $('.shown').textContent = this.filtered() ? `${S.filter((s, i) => this.wants(s, i)).length} of ${S.length} steps` : '';
    this.first = -1;
  }
  paint(force) {
    const sc = this.el.scroll, st = sc.scrollTop, ch = sc.clientHeight, top = Math.floor(st / 200) * 200 - 200, bot = top + 600 + ch, R = this.rows; // moves in strides of 200 px
    let lo = 0, hi = R.length - 1; while (lo < hi) { const m = (lo + hi) >> 1; R[m].y + R[m].h < top ? lo = m + 1 : hi = m; }
    let end = lo; while (end < R.length && R[end].y < bot) end++;
    if (this.all) { lo = 0; end = R.length; }
    if (force || lo !== this.first || end !== this.last) { this.first = lo; this.last = end; this.el.inner.innerHTML = R.slice(lo, end).map(r => this.rowHtml(r)).join(''); }
    const mi = this.el.mini.lastElementChild, H = Math.min(ch, this.f.steps.length * 6), s0 = this.stepAt(st), s1 = this.stepAt(st + ch); mi.style.top = s0 / this.f.steps.length * H + 'px'; mi.style.height = Math.max(6, (s1 - s0) / this.f.steps.length * H) + 'px';
  }
  stepAt(y) { const R = this.rows; let lo = 0, hi = R.length - 1; while (lo < hi) { const m = (lo + hi) >> 1; R[m].y + R[m].h < y ? lo = m + 1 : hi = m; } for (; lo < R.length; lo++) if (R[lo].i !== undefined) return R[lo].i; return this.f.steps.length; }
  laneSvg(r, i0, i1) { // lifelines, lock bars and waits of one row; i0: state before, i1: after
    let o = ''; const h = r.h;
    for (let t = 0; t < this.n; t++) {
      if (i1 < this.life[t][0] || i0 >= this.life[t][1]) continue; const x = this.X(t);
      const y0 = i0 < this.life[t][0] && this.life[t][0] > 0 ? h / 2 : 0, y1 = i1 >= this.life[t][1] ? h / 2 : h;
      const hb = this.heldAt[Math.max(0, i0)][t], ha = this.heldAt[Math.min(i1, this.heldAt.length - 1)][t], w = this.waitAt[Math.min(i1, this.waitAt.length - 1)][t];
      o += `<line x1="${x}" x2="${x}" y1="${y0}" y2="${y1}" stroke="var(--t${t % 12})" stroke-width="${this.rails ? 1.5 : 1.5}" ${w ? 'stroke-dasharray="2 4"' : ''} opacity="${w ? 1 : .55}"/>`; if (y0) o += `<path d="M${x - 5} ${y0}h10" stroke="var(--t${t % 12})" stroke-width="1.5"/>`; if (y1 < h) o += `<path d="M${x - 5} ${y1 + 6}h10M${x} ${y1}v6" stroke="var(--t${t % 12})" stroke-width="1.5"/>`;
      const locks = [...new Set([...(i0 < 0 ? [] : hb), ...ha])].slice(0, 4);
      locks.forEach((l, k) => { const b0 = i0 >= 0 && hb.includes(l) ? 0 : h / 2, b1 = ha.includes(l) ? h : h / 2, id = this.lockIds[l] % 4, sp = this.rails ? 3.2 : 5; o += `<rect x="${x - (this.rails ? 4.6 : 7) - k * sp}" y="${b0}" width="${this.rails ? 2.4 : 4}" height="${b1 - b0}" fill="${id ? `url(#lk${id})` : 'var(--lock)'}"/>`; });
    }
    return o;
  }
  stepHtml(r, i, on) {
    const s = this.f.steps[i], t = s.thread, ev = s.events.map(e => effect(this.f, e)).join('<u>, </u>'), text = s.text;
    return `<button tabindex="-1" class="stp ${on ? 'on' : ''} ${this.rails && !this.narrow ? 'inline' : this.wrap ? 'wrap' : ''}" role="option" aria-selected="${on}" data-i="${i}" style="${col(t)};left:${this.CX(t)}px;width:${this.CW(t)}px"><span class="e">${this.rails ? `<span class="tn">T${t}</span> ` : ''}${this.wrap && !this.rails ? `<span class="ln">${s.line}</span> ` : ''}${ev || esc(text)}</span>${ev && !(this.wrap && !this.rails) ? `<span class="s">${s.line} ${esc(text)}</span>` : ''}</button>`;
  }
  rowHtml(r) {
    const f = this.f, S = f.steps, cur = this.row === r.k, wrap = (cls, inner) => `<div class="row ${cls} ${cur ? 'cur' : ''}" style="top:${r.y}px;height:${r.h}px" role="presentation">${inner}</div>`;
    if (r.type === 'step') { const s = S[r.i], x = this.X(s.thread); return wrap(r.minor ? 'minor' : '', `<svg>${this.laneSvg(r, r.i - 1, r.i)}<circle cx="${x}" cy="${r.h / 2}" r="${this.rails ? 4 : 4.5}" fill="${r.minor ? 'var(--panel)' : `var(--t${s.thread % 12})`}" stroke="var(--t${s.thread % 12})" stroke-width="1.5"/></svg><span class="no ${cur ? 'on' : ''}" style="top:${r.h / 2 - 9}px">${s.n}</span>${this.stepHtml(r, r.i, cur)}`); }
    if (r.type === 'fold') {
      const one = r.ts.length === 1 && !this.rails && !this.off.has(r.ts[0]), t = r.ts[0], len = r.j - r.i + 1, who = r.ts.length > 4 ? plural(r.ts.length, 'thread') : r.ts.map(t => this.rails ? 'T' + t : f.threads[t].name).join(', ');
      return wrap('', `<svg>${this.laneSvg(r, r.i - 1, r.open ? r.i - 1 : r.j)}</svg><button tabindex="-1" class="fold" role="option" aria-expanded="${r.open}" aria-selected="${cur}" data-f="${r.i}" style="left:${one ? this.CX(t) : this.rails ? this.CX(0) : this.CX(Math.min(...r.ts))}px;${one ? `max-width:${this.CW(t)}px` : 'max-width:calc(100% - 60px)'}">${r.open ? '▾' : '▸'} ${plural(len, 'step')}${one ? '' : ` <span>of ${esc(who)}</span>`}</button><span class="no ${cur ? 'on' : ''}">${r.open ? '' : r.i + 1 + '…'}</span>`);
    }
    if (r.type === 'switch') {
      const a = this.X(r.a), b = this.X(r.b), m = r.h / 2, d = b > a ? 1 : -1, q = Math.min(6, m - 1), i = this.rows[r.k - 1].j ?? this.rows[r.k - 1].i;
      return wrap('', `<svg>${this.laneSvg(r, i, i)}<path d="M${a} 0V${m - q}Q${a} ${m} ${a + d * q} ${m}H${b - d * q}Q${b} ${m} ${b} ${m + q}V${r.h - 1}" fill="none" stroke="var(--ink2)" stroke-width="1.3"/><path d="M${b - 3.5} ${r.h - 5}L${b} ${r.h}L${b + 3.5} ${r.h - 5}" fill="none" stroke="var(--ink2)" stroke-width="1.3"/></svg>`);
    }
    if (r.type === 'race') {
      const A = f.race.accesses, two = A.map(a => S[a.step - 1].thread), lo = Math.min(...two), w = this.W - 42 - 6, box = [];
      const acc = A.map((a, k) => {
        const s = S[a.step - 1], on = cur && this.cur === a.step - 1, ord = s.thread === lo && (two[0] !== two[1] || k === 0) ? 0 : 1, half = (w - 54) / 2;
        box[ord] = this.rails || two.some(t => this.off.has(t)) || two[0] === two[1] ? [50 + ord * (half + 38), half] : [this.CX(s.thread) - 2, this.CW(s.thread) - 6];
        return [ord, `<button tabindex="-1" class="acc ${on ? 'on' : ''}" role="option" aria-selected="${on}" data-i="${a.step - 1}" style="${col(s.thread)};left:${box[ord][0]}px;width:${box[ord][1]}px"><span><span class="tn" style="display:inline;color:var(--c);font-weight:700">T${s.thread}</span> <b>${esc(a.access)}s ${esc(f.race.object)}</b></span><span class="s">${s.line} ${esc(s.text)}</span><span class="s">holds ${a.held.length ? esc(a.held.join(', ')) : 'no lock'}</span></button>`];
      }).sort((x, y) => x[0] - y[0]).map(x => x[1]).join('');
      const x1 = box[0][0] + box[0][1] + 4, x2 = box[1][0] - 4, m = 72;
      return wrap('rc', `<div class="race"></div><svg>${this.rails ? '' : this.laneSvg(r, r.i - 1, r.j)}<path d="M${x1} ${m}H${x2}M${x1 + 5} ${m - 4}L${x1} ${m}L${x1 + 5} ${m + 4}M${x2 - 5} ${m - 4}L${x2} ${m}L${x2 - 5} ${m + 4}" fill="none" stroke="var(--bad)" stroke-width="1.8"/></svg><div class="cap">At the same time${this.narrow ? '' : `: ${A[0].access} and ${A[1].access} of ${esc(f.race.object)}`}, ${f.race.common_locks.length ? 'though both hold ' + esc(f.race.common_locks.join(', ')) : 'no lock in common'}</div>${acc}<span class="no on" style="top:${r.h / 2 - 18}px">${r.i + 1}<br>${r.j + 1}</span>`);
    }
    return wrap('', `<div class="end">${f.ending.map(l => `<p>${esc(l)}</p>`).join('')}</div>`);
  }
  select(i, reveal, centre) {
    i = Math.max(0, Math.min(this.f.steps.length - 1, i)); const was = this.row; this.cur = i; this.row = this.rowOf[i]; const r = this.rows[this.row], sc = this.el.scroll;
    if (r && r.type === 'fold' && reveal !== undefined) this.cur = r.j;
    if (r) { const m = centre ? sc.clientHeight / 2 : 60; if (r.y < sc.scrollTop + (centre ? m : 10)) sc.scrollTop = r.y - m; else if (r.y + r.h > sc.scrollTop + sc.clientHeight - (centre ? m : 10)) sc.scrollTop = r.y + r.h - sc.clientHeight + m; }
    this.paint(); for (const k of new Set([was, this.row])) { const el = this.el.inner.children[k - this.first]; if (el && k >= this.first && k < this.last) el.outerHTML = this.rowHtml(this.rows[k]); }
    const o = $('[aria-selected=true]', this.el.inner); if (o) { o.id = 'step-' + this.cur; sc.setAttribute('aria-activedescendant', o.id); }
    this.drawSource(); this.drawValues();
    const s = this.f.steps[this.cur]; $('#live').textContent = `Step ${s.n}, ${this.f.threads[s.thread].name}, line ${s.line}: ${s.events.map(e => effect(this.f, e, false)).join(', ')}`;
    const h = `#${this.f.id}/${this.cur + 1}`; clearTimeout(this.ht); this.ht = setTimeout(() => { if (V === this) history.replaceState(null, '', h); }, 150);
  }
  move(d) { // next stop: a step, a closed fold, or one of the two racing accesses
    const r0 = this.rows[this.row]; let st = r0.stops || [], p = st.indexOf(this.cur) + d; if (st[p] !== undefined) return this.select(st[p], true);
    for (let k = this.row + d; k >= 0 && k < this.rows.length; k += d) { st = this.rows[k].stops; if (st && st.length) return this.select(d > 0 ? st[0] : st[st.length - 1], true); }
  }
  jump(d) { // first step of the next or previous run of one thread; a closed fold counts as one place
    const S = this.f.steps, r0 = this.rows[this.row], from = this.row; let i = d < 0 && r0.type === 'fold' ? r0.i : this.cur;
    for (let guard = 0; guard < S.length; guard++) {
      if (d > 0) { const t = S[i].thread; while (i < S.length - 1 && S[i].thread === t) i++; }
      else { if (i > 0 && S[i].thread !== S[i - 1].thread) i--; while (i > 0 && S[i - 1].thread === S[i].thread) i--; }
      if (i === 0 || i === S.length - 1 || this.rowOf[i] !== from || r0.type === 'race') break;
    }
    this.select(i, true);
  }
  fold() { const r = this.rows[this.row]; if (r.type === 'fold') return this.toggle(r.i); if (r.fold !== undefined) return this.toggle(r.fold); for (let k = this.row; k < this.rows.length; k++) if (this.rows[k].type === 'fold') return this.toggle(this.rows[k].i); }
  drawSource() {
    const s = this.f.steps[this.cur]; if (!s) return; const el = this.el.src, box = el.parentElement;
    if (this.file !== s.file) { this.file = s.file; el.innerHTML = this.lines[s.file].map((x, k) => `<div class="sl" data-l="${k + 1}"><span class="pos"></span><span class="lno">${k + 1}</span><pre>${hl(x) || ' '}</pre></div>`).join(''); $('#sfile').textContent = s.file; }
    $$('.sl.cur,.sl.at', el).forEach(x => { x.classList.remove('cur', 'at'); x.firstChild.innerHTML = ''; });
    const at = {}; for (let i = this.cur, seen = new Set(); i >= 0 && seen.size < this.n; i--) { const q = this.f.steps[i]; if (!seen.has(q.thread)) { seen.add(q.thread); if (i <= this.cur && !(this.life[q.thread][1] <= this.cur && this.life[q.thread][1] < this.f.steps.length) && q.file === s.file) (at[q.line] = at[q.line] || []).push(q.thread); } }
    for (const l in at) { const x = el.children[l - 1]; if (!x) continue; x.classList.add('at'); x.firstChild.innerHTML = at[l].slice(0, 3).map(t => `<b style="${col(t)}" title="${esc(this.f.threads[t].name)} is here">T${t}</b>`).join(''); }
    const x = el.children[s.line - 1]; if (!x) return; x.classList.add('cur'); x.style.setProperty('--c', `var(--t${s.thread % 12})`);
    const y = 4 + (s.line - 1) * 20; if (y < box.scrollTop + 40 || y > box.scrollTop + box.clientHeight - 60) box.scrollTop = y - box.clientHeight / 2;
  }
  drawValues() {
    const f = this.f, S = f.steps, cur = this.cur, r = this.rows[this.row], from = r && r.type === 'fold' && !r.open ? r.i : cur, val = {}, by = {}, owner = {}, wait = {};
    const at = this.checkpoint(from), before = {}; Object.assign(val, at.val); Object.assign(by, at.by); Object.assign(owner, at.owner); Object.assign(wait, at.wait);
    for (let i = at.i; i <= cur; i++) { if (i === from) Object.assign(before, val); this.apply(S[i], i, { val, by, owner, wait }); }
    const tn = t => `<b style="${col(t)};color:var(--c);font-weight:600">T${t}</b> ${esc(f.threads[t].name)}`, now = S.slice(from, cur + 1).flatMap(s => s.events), s = S[cur];
    const line = (n, label) => { const w = now.some(e => e.kind === 'write' && e.object === n), rd = now.some(e => e.kind === 'read' && e.object === n), old = before[n]; return `<tr class="${w ? 'w' : ''} ${rd ? 'rd' : ''}"><td>${esc(label || n)}</td><td>${w && old !== undefined && old !== val[n] ? `${esc(old)} → ${esc(val[n])}` : esc(val[n] ?? '?')}</td><td>${w ? 'changed' + (rd ? ', read' : '') : rd ? 'read' : by[n] !== undefined ? `step ${S[by[n]].n}, T${S[by[n]].thread}` : 'initial'}</td></tr>`; };
    const locks = this.locks, loc = Object.keys(val).filter(n => !isShared(n) && n.startsWith(f.threads[s.thread].name + '.'));
    const varRows = `<tr><th colspan="3">Shared variables</th></tr>${this.shared.map(n => line(n)).join('')}`, lockRows = `<tr><th colspan="3">Locks</th></tr>${locks.map(o => { const ch = now.some(e => (e.kind === 'lock' || e.kind === 'unlock') && e.object === o.name), ws = Object.keys(wait).filter(t => wait[t] && wait[t].object === o.name); return `<tr class="${ch ? 'w' : ''}"><td><svg class="sw" width="5" height="14" aria-hidden="true"><rect width="4" height="14" fill="${this.lockIds[o.name] % 4 ? `url(#lk${this.lockIds[o.name] % 4})` : 'var(--lock)'}"/></svg>${esc(o.name)}</td><td>${owner[o.name] ? 'held' : 'free'}</td><td>${owner[o.name] ? `by ${tn(owner[o.name][0])} since step ${owner[o.name][1] + 1}` : ch ? 'released' : ''}${ws.length ? `<br>${ws.map(t => tn(+t)).join(', ')} waits` : ''}</td></tr>`; }).join('')}`;
    this.el.vals.innerHTML = `<table class="vals">${f.deadlock ? lockRows + varRows : varRows + lockRows}
    ${loc.length ? `<tr><th colspan="3">Locals of ${tn(s.thread)}</th></tr>${loc.map(n => line(n, short(n))).join('')}` : ''}<tr><th colspan="3">Call stack of ${tn(s.thread)}</th></tr></table><ol class="stack">${s.stack.map(x => `<li>${esc(x.function)} <span class="dim">line ${x.line}</span></li>`).join('')}</ol>`;
    $('#vcap').textContent = from === cur ? `after step ${s.n}` : `after steps ${S[from].n} to ${s.n}`;
  }
  apply(s, i, m) { for (const e of s.events) { if (e.kind === 'write') { m.val[e.object] = e.value; m.by[e.object] = i; } } for (const l in m.owner) if (m.owner[l][0] === s.thread && !s.held.includes(l)) delete m.owner[l]; for (const l of s.held) if (!m.owner[l]) m.owner[l] = [s.thread, i]; m.wait[s.thread] = s.events.find(e => e.kind === 'wait'); }
  checkpoint(i) { // the state before step i, to the nearest 100 below
    if (!this.cps) { const m = { val: {}, by: {}, owner: {}, wait: {} }; D.objects.forEach(o => { if (o.kind === 'variable') m.val[o.name] = o.initial; }); this.cps = []; this.f.steps.forEach((s, k) => { if (k % 100 === 0) this.cps.push({ i: k, val: { ...m.val }, by: { ...m.by }, owner: { ...m.owner }, wait: { ...m.wait } }); this.apply(s, k, m); }); const used = new Set(this.f.steps.flatMap(s => s.events.map(e => e.object))); for (const s of this.f.steps) for (const l of s.held) used.add(l); this.locks = D.objects.filter(o => o.kind === 'lock' && used.has(o.name)); }
    return this.cps[Math.floor(i / 100)];
  }
  tip(e) {
    const b = e.target.closest('[data-i]'), t = $('#tip'); if (!b) { t.style.display = 'none'; return; }
    const s = this.f.steps[+b.dataset.i]; t.textContent = `${this.f.threads[s.thread].name}, step ${s.n}\n` + s.stack.map((x, k) => (k ? 'from ' : 'in ') + x.function + ':' + x.line).join('\n') + (s.held.length ? '\nholds ' + s.held.join(', ') : '');
    t.style.display = 'block'; t.style.left = Math.min(innerWidth - t.offsetWidth - 8, e.clientX + 14) + 'px'; t.style.top = Math.min(innerHeight - t.offsetHeight - 8, e.clientY + 16) + 'px';
  }
  drawMini() {
    const c = $('.mini canvas'), w = this.el.mini.clientWidth, h = this.el.mini.clientHeight, dpr = devicePixelRatio || 1; if (!w || !h) return; c.width = w * dpr; c.height = h * dpr; const g = c.getContext('2d'); g.scale(dpr, dpr);
    const cs = getComputedStyle(document.documentElement), S = this.f.steps, rh = Math.min(6, h / S.length), cw = (w - 8) / this.n, tc = []; for (let t = 0; t < 12; t++) tc.push(cs.getPropertyValue('--t' + t));
    S.forEach((s, i) => { g.fillStyle = tc[s.thread % 12]; g.globalAlpha = s.visible === false ? .45 : 1; g.fillRect(4 + s.thread * cw, i * rh, Math.max(2, cw - 1), Math.max(1, rh - (rh > 3 ? 1 : 0))); });
    g.globalAlpha = 1; g.fillStyle = cs.getPropertyValue('--bad'); this.key.forEach(i => g.fillRect(0, i * rh, 3, Math.max(2, rh)));
  }
  graph() { // the cycle on an ellipse, the others at the left with an arrow into it; without a cycle a column of threads and one of what they wait for
    if (!this.f.deadlock.cycle.length) return this.graphOfTwoColumns();
    const f = this.f, C = f.deadlock.cycle, n = C.length, small = innerWidth <= 900, others = f.deadlock.waits.filter(w => !C.some(x => x.thread === w.thread)), top = small && others.length ? 62 : 0, W = small ? 390 : 560, H = 250 + top, cx = small ? 195 : 330, cy = 125 + top, rx = small ? 132 : 158, ry = small ? 100 : 96, pos = {}, id = x => x.thread !== undefined ? 't' + x.thread : 'l' + x.lock; let o = '';
    C.forEach((x, k) => { const a = -Math.PI / 2 - Math.PI / n * 0 + k * 2 * Math.PI / n; pos[id(x)] = [cx + rx * Math.cos(a), cy + ry * Math.sin(a)]; });
    others.forEach((w, k) => pos['t' + w.thread] = small ? [cx + (k - (others.length - 1) / 2) * 126, 18] : [62, 29 + k * 60]);
    const size = x => [x.startsWith('t') ? 116 : 102, 28], edge = (a, b, cls, lbl) => {
      const [x1, y1] = pos[a], [x2, y2] = pos[b], cut = (p, q, s) => { const dx = q[0] - p[0], dy = q[1] - p[1], k = Math.min((s[0] / 2 + 4) / Math.abs(dx || 1e-6), (s[1] / 2 + 4) / Math.abs(dy || 1e-6)); return [p[0] + dx * k, p[1] + dy * k]; };
      const p = cut([x1, y1], [x2, y2], size(a)), q = cut([x2, y2], [x1, y1], size(b)); const mx = (p[0] + q[0]) / 2, my = (p[1] + q[1]) / 2, out = mx > cx + 20 ? 1 : mx < cx - 20 ? -1 : 0;
      const vertical = Math.abs(q[1] - p[1]) > Math.abs(q[0] - p[0]); return `<path d="M${p}L${q}" stroke="${cls === 'w' ? 'var(--bad)' : 'var(--ink2)'}" stroke-width="1.6" ${cls === 'w' ? 'stroke-dasharray="5 3"' : ''} marker-end="url(#ar${cls})" fill="none"/><text class="lbl" x="${mx + (a[0] === 't' && b[0] === 't' ? (vertical ? 8 : 0) : out * 8)}" y="${my + (vertical || out ? (vertical ? 4 : my < cy ? -5 : 13) : -6)}" text-anchor="${a[0] === 't' && b[0] === 't' ? (vertical ? 'start' : 'middle') : out > 0 ? 'start' : out < 0 ? 'end' : 'middle'}">${lbl}</text>`;
    };
    C.forEach((x, k) => { const y = C[(k + 1) % n]; o += x.thread !== undefined ? edge(id(x), id(y), 'w', 'waits for') : edge(id(x), id(y), 'h', 'held by'); });
    others.forEach(w => { const to = !w.for ? '' : w.for.end_of !== undefined ? 't' + w.for.end_of : 'l' + w.for.lock; if (pos[to]) o += edge('t' + w.thread, to, 'w', 'waits for'); });
    const node = (k, label, t, i) => { const [x, y] = pos[k], [w, h] = size(k); return `<g tabindex="0" role="button" data-i="${i}" aria-label="${esc(label)}, go to its step" style="${t === null ? '' : col(t)}"><rect x="${x - w / 2}" y="${y - h / 2}" width="${w}" height="${h}" rx="${t === null ? 2 : 14}" fill="var(--panel)" stroke="${t === null ? 'var(--ink2)' : 'var(--c)'}" stroke-width="${t === null ? 1.2 : 2}"/><text x="${x}" y="${y + 4}" text-anchor="middle">${esc(label)}</text></g>`; };
    for (const w of f.deadlock.waits) { if (pos['t' + w.thread]) o += node('t' + w.thread, f.threads[w.thread].name, w.thread, w.step - 1); if (w.for && w.for.lock && pos['l' + w.for.lock]) o += node('l' + w.for.lock, w.for.lock, null, (w.holder_since || w.step) - 1); }
    return `<svg viewBox="0 0 ${W} ${H}" role="group" aria-label="Cycle: ${esc(C.map(x => x.lock || f.threads[x.thread].name).join(' to '))}"><defs><marker id="arw" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="var(--bad)"/></marker><marker id="arh" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="var(--ink2)"/></marker></defs>${o}</svg>`;
  }
  graphOfTwoColumns() {
    const f = this.f, waits = f.deadlock.waits, W = 560, at = k => 24 + k * 44, H = at(waits.length - 1) + 24;
    const what = w => !w.for ? 'something' : w.for.lock || 'end of ' + f.threads[w.for.end_of].name;
    const cut = t => t.length > 24 ? t.slice(0, 23) + '…' : t;
    const box = (x, y, label, t, i) => `<g tabindex="0" role="button" data-i="${i}" aria-label="${esc(label)}, go to its step" style="${t === null ? '' : col(t)}"><rect x="${x}" y="${y - 15}" width="190" height="30" rx="${t === null ? 2 : 15}" fill="var(--panel)" stroke="${t === null ? 'var(--ink2)' : 'var(--c)'}" stroke-width="${t === null ? 1.2 : 2}"/><text x="${x + 95}" y="${y + 4}" text-anchor="middle">${esc(cut(label))}</text></g>`;
    return `<svg viewBox="0 0 ${W} ${H}" role="group" aria-label="Who waits for what"><defs><marker id="arw" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="var(--bad)"/></marker></defs>${waits.map((w, k) => box(20, at(k), f.threads[w.thread].name, w.thread, w.step - 1) + `<path d="M214 ${at(k)}H342" stroke="var(--bad)" stroke-width="1.6" stroke-dasharray="5 3" marker-end="url(#arw)"/><text class="lbl" x="278" y="${at(k) - 6}" text-anchor="middle">waits for</text>` + box(350, at(k), what(w), w.for && w.for.end_of !== undefined ? w.for.end_of : null, (w.holder_since || w.step) - 1)).join('')}</svg>`;
  }
}

/* ---- keys ---- */
const KEYS = [['j k ↓ ↑', 'next, previous step'], ['] [', 'next, previous context switch'], ['Home End', 'first, last step'], ['f', 'open or close the fold at the step, or the next one'], ['F', 'open or close all folds'], ['/', 'filter by variable'], ['Esc', 'clear the filters'], ['n p', 'next, previous finding'], ['?', 'this list']];
function help() { const d = $('#help'); d.innerHTML = `<h2>Keyboard</h2><dl>${KEYS.map(([k, t]) => `<dt>${k.split(' ').map(x => `<kbd>${x}</kbd>`).join(' ')}</dt><dd>${t}</dd>`).join('')}</dl><form method="dialog"><button class="btn" autofocus>Close</button></form>`; d.showModal(); }
addEventListener('keydown', e => {
  if (!(e.target instanceof Element) || e.ctrlKey || e.metaKey || e.altKey || $('#help').open) return;
  if (e.target.matches('input')) { if (e.key === 'Escape' || e.key === 'Enter') { if (e.key === 'Escape') { e.target.value = ''; V.text = ''; V.refilter(); } V.el.scroll.focus(); e.preventDefault(); } return; }
  if (e.key === '?') return help(); const go = d => { const ids = D.findings.map(f => f.id), k = V ? ids.indexOf(V.f.id) : d > 0 ? -1 : ids.length; if (ids[k + d]) location.hash = ids[k + d]; };
  if (e.key === 'n') return go(1); if (e.key === 'p') return go(-1); if (!V) return;
  const inPane = e.target.closest && e.target.closest('.body'), k = e.key; if (inPane && /^(Arrow|Home|End)/.test(k)) return;
  const act = { j: () => V.move(1), ArrowDown: () => V.move(1), k: () => V.move(-1), ArrowUp: () => V.move(-1), ']': () => V.jump(1), '[': () => V.jump(-1), f: () => V.fold(), F: () => V.foldAll(), '/': () => V.el.filt.focus(), Home: () => V.select(0, true), End: () => V.select(V.f.steps.length - 1, true), Escape: () => V.clear() }[k];
  if (act) { e.preventDefault(); act(); }
});
addEventListener('beforeprint', () => { document.documentElement.dataset.theme = 'light'; if (V) { V.all = true; V.printW = 690; V.layout(); V.paint(true); } }); addEventListener('afterprint', () => { applyTheme(); if (V) { V.all = false; V.printW = 0; V.layout(); V.paint(true); } });
document.body.insertAdjacentHTML('beforeend', '<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs><pattern id="lk1" width="40" height="4" patternUnits="userSpaceOnUse"><rect width="40" height="2" fill="var(--lock)"/></pattern><pattern id="lk2" width="1" height="1" patternContentUnits="objectBoundingBox"><rect width=".34" height="1" fill="var(--lock)"/><rect x=".66" width=".34" height="1" fill="var(--lock)"/></pattern><pattern id="lk3" width="40" height="10" patternUnits="userSpaceOnUse"><rect width="40" height="7" fill="var(--lock)"/></pattern></defs></svg>');
route();
