//! Which servers are connected to without the proxy of the environment.

use std::net::{IpAddr, Ipv4Addr};

/// Whether a host is connected to directly: it is this machine, or in `NO_PROXY`, as Go's clients read that variable.
pub(crate) fn is_direct(host: &str, no_proxy: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']').to_lowercase();
    let address: Option<IpAddr> = host.parse().ok();
    host == "localhost"
        || address.is_some_and(|address| address.is_loopback())
        || no_proxy.split(',').map(str::trim).any(|entry| matches(&host, address, &entry.to_lowercase()))
}

fn matches(host: &str, address: Option<IpAddr>, entry: &str) -> bool {
    if entry.is_empty() {
        return false;
    }
    if let (Some(IpAddr::V4(address)), Some((network, bits))) = (address, network(entry)) {
        let mask = u32::MAX.checked_shl(32 - bits).unwrap_or_default();
        return address.to_bits() & mask == network.to_bits() & mask;
    }
    let domain = entry.trim_start_matches('*').trim_start_matches('.');
    let is_below = host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'));
    entry == "*" || host == entry || !domain.is_empty() && (is_below || host == domain && !entry.starts_with('.'))
}

/// Such as `10.0.0.0/8`.
fn network(entry: &str) -> Option<(Ipv4Addr, u32)> {
    let (network, bits) = entry.split_once('/')?;
    Some((network.parse().ok()?, bits.parse().ok().filter(|bits| *bits <= 32)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_asked_directly_as_by_go() {
        for (host, no_proxy, expected) in [
            ("127.0.0.1", "", true),
            ("localhost", "", true),
            ("[::1]", "", true),
            ("10.1.2.3", "", false),
            ("10.1.2.3", "192.168.0.0/16, 10.0.0.0/8", true),
            ("11.1.2.3", "10.0.0.0/8", false),
            ("11.1.2.3", "0.0.0.0/0", true),
            ("10.1.2.3", "10.1.2.3", true),
            ("api.example.com", "example.com", true),
            ("api.example.com", ".example.com", true),
            ("api.example.com", "*.example.com", true),
            ("example.com", ".example.com", false),
            ("badexample.com", "example.com", false),
            ("api.example.com", "*", true),
            ("api.example.com", ",", false),
        ] {
            assert_eq!(is_direct(host, no_proxy), expected, "{host} {no_proxy}");
        }
    }
}
