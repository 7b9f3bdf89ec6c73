//! From a binary tree to one of wider nodes.

use crate::limits::MAX_ARITY;
use crate::volume::Aabb;

use super::{Node, Split, Tree, node_boxes, primitive_runs};

/// Widens.
pub(super) fn widen(binary: &Tree, boxes: &[Aabb], split: Split, arity: usize) -> Tree {
    let weights: Vec<f32> = if split == Split::Median {
        primitive_runs(binary).into_iter().map(|run| run.len() as f32).collect()
    } else {
        node_boxes(binary, boxes).unwrap_or_default().iter().map(Aabb::half_area).collect()
    };
    let mode = std::env::var("WIDEN").unwrap_or_default();
    let mut cost = vec![];
    if mode == "dp" {
        cost = vec![[0f32; 9]; binary.nodes.len()];
        for n in (0..binary.nodes.len()).rev() {
            let node = binary.nodes[n];
            if node.is_leaf() {
                continue;
            }
            let l = cost[node.range().start as usize];
            let r = cost[node.range().start as usize + 1];
            let mut c = [0f32; 9];
            let d = |k: usize| (1..k).map(|i| l[i] + r[k - i]).fold(f32::INFINITY, f32::min);
            c[1] = weights[n] + d(arity);
            for k in 2..=arity {
                c[k] = c[k - 1].min(d(k));
            }
            cost[n] = c;
        }
    }
    let mut nodes = vec![Node::inner(0, 0)];
    let mut stack = vec![(0_u32, 0_usize)];
    while let Some((number, place)) = stack.pop() {
        let node = binary.node(number);
        if node.is_leaf() {
            nodes[place] = node;
            continue;
        }
        let mut children = Vec::with_capacity(MAX_ARITY);
        if mode == "dp" {
            // (node, k)
            let mut st = vec![(number, arity, true)];
            while let Some((m, k, force)) = st.pop() {
                let nd = binary.node(m);
                if nd.is_leaf() {
                    children.push(m);
                    continue;
                }
                let c = &cost[m as usize];
                let mut k = k;
                if !force {
                    while k > 1 && c[k] == c[k - 1] {
                        k -= 1;
                    }
                    if k == 1 {
                        children.push(m);
                        continue;
                    }
                }
                let (a, b) = (nd.range().start, nd.range().start + 1);
                let (l, r) = (&cost[a as usize], &cost[b as usize]);
                let best = (1..k)
                    .min_by(|&i, &j| (l[i] + r[k - i]).total_cmp(&(l[j] + r[k - j])))
                    .unwrap();
                st.push((b, k - best, false));
                st.push((a, best, false));
            }
        } else {
            children.extend(node.range());
            while children.len() < arity {
                let open = (0..children.len())
                    .filter(|&i| !binary.node(children[i]).is_leaf())
                    .max_by(|&i, &j| {
                        weights[children[i] as usize].total_cmp(&weights[children[j] as usize])
                    });
                let Some(i) = open else { break };
                children.splice(i..=i, binary.node(children[i]).range());
            }
        }
        let first = nodes.len();
        nodes[place] = Node::inner(first as u32, children.len() as u32);
        nodes.resize(first + children.len(), Node::inner(0, 0));
        for (i, &c) in children.iter().enumerate().rev() {
            stack.push((c, first + i));
        }
    }
    Tree { nodes, primitives: binary.primitives.clone() }
}
