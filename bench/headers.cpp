// A unit of 388 headers, all of the standard library, whose object with -g has 1.3 MB.
#include <bits/stdc++.h>

std::string words(std::istream &in)
{
	std::map<std::string, std::set<int>> where;
	std::unordered_map<int, std::function<int(int)>> steps;
	std::vector<std::shared_ptr<std::string>> kept;
	std::string line;

	for (int n = 0; std::getline(in, line); n++) {
		std::istringstream one(line);
		std::copy(std::istream_iterator<std::string>(one),
		          std::istream_iterator<std::string>(),
		          std::ostream_iterator<std::string>(std::cout, "\n"));
		where[line].insert(n);
		steps[n] = [&](int x) { return x + int(where.size()); };
		kept.push_back(std::make_shared<std::string>(line));
	}
	typedef std::shared_ptr<std::string> text;
	std::sort(kept.begin(), kept.end(), [](const text &a, const text &b) { return *a < *b; });
	std::thread waits([&] { std::cout << steps[1](3); });
	waits.join();
	return std::accumulate(kept.begin(), kept.end(), std::string(),
	                       [](std::string a, const text &b) { return a + *b; });
}
